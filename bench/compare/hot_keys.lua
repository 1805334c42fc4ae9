-- For wrk: requests for the path that is given, with one of a thousand API keys, made beforehand as in decision.lua. In
-- random order: in turn, the leases of all keys would end at once, and be renewed together.
local requests = {}
init = function(arguments)
  for i = 1, 1000 do
    requests[i] = wrk.format("GET", "/v1/decision", {
      ["X-Original-Method"] = "POST", ["X-Original-URI"] = arguments[1], ["X-Api-Key"] = "key-" .. i,
    })
  end
end
request = function()
  return requests[math.random(1000)]
end
