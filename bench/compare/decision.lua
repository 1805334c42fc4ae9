-- For wrk: a request as a proxy would ask about it, with one of a thousand API keys.
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", "/v1/decision", {
    ["X-Original-Method"] = "POST", ["X-Original-URI"] = "/v1/orders?page=2", ["X-Original-Host"] = "api.example.com",
    ["X-Api-Key"] = "key-" .. count % 1000,
  })
end
