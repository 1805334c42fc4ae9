-- For wrk: a check of a bucket of its own for each of a thousand users, with a JSON body.
local count = 0
local headers = {["Content-Type"] = "application/json"}
request = function()
  count = count + 1
  local body = '{"key": "user:' .. count % 1000 .. '", "rate": 1000000, "burst": 1000000000, "cost": 1}'
  return wrk.format("POST", "/v1/check", headers, body)
end
