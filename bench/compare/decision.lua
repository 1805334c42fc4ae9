-- For wrk: a request as a proxy would ask about it, with one of a thousand API keys. All are made beforehand, for the
-- load generator must not be what is measured.
local requests, count = {}, 0
init = function()
  for i = 1, 1000 do
    requests[i] = wrk.format("GET", "/v1/decision", {
      ["X-Original-Method"] = "POST", ["X-Original-URI"] = "/v1/orders?page=2", ["X-Original-Host"] = "api.example.com",
      ["X-Api-Key"] = "key-" .. i,
    })
  end
end
request = function()
  count = count % 1000 + 1
  return requests[count]
end
