-- For wrk: a check of a bucket of its own for each of a thousand users, with a JSON body. Made beforehand, as in
-- decision.lua.
local requests, count = {}, 0
init = function()
  local headers = {["Content-Type"] = "application/json"}
  for i = 1, 1000 do
    local body = '{"key": "user:' .. i .. '", "rate": 0.1, "burst": 1000000, "cost": 1}'
    requests[i] = wrk.format("POST", "/v1/check", headers, body)
  end
end
request = function()
  count = count % 1000 + 1
  return requests[count]
end
