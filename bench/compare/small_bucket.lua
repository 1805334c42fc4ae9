-- For wrk: a request for which there is one small bucket for all. Made beforehand, as in decision.lua.
local made
init = function()
  made = wrk.format("GET", "/v1/decision", {["X-Original-Method"] = "GET", ["X-Original-URI"] = "/small"})
end
request = function()
  return made
end
