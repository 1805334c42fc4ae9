-- The action `lua.sluice`: asks Sluice about a request, answers it if it is refused, and lets it go on if not.
--
--   http-request lua.sluice URL pass|refuse     whether requests pass or are refused while Sluice is away

-- Fields that describe the way and not the request, or that only a proxy may set.
local not_passed_on = {
  ["connection"] = true, ["keep-alive"] = true, ["te"] = true, ["trailer"] = true, ["transfer-encoding"] = true,
  ["upgrade"] = true, ["content-length"] = true, ["expect"] = true, ["host"] = true,
  ["x-original-method"] = true, ["x-original-uri"] = true, ["x-original-host"] = true,
  ["x-forwarded-method"] = true, ["x-forwarded-uri"] = true, ["x-forwarded-host"] = true,
  ["x-forwarded-for"] = true, ["forwarded"] = true,
}

local told_when_passed = {
  ["ratelimit-policy"] = "txn.ratelimit_policy", ["ratelimit"] = "txn.ratelimit",
  ["ratelimit-limit"] = "txn.ratelimit_limit", ["ratelimit-remaining"] = "txn.ratelimit_remaining",
  ["ratelimit-reset"] = "txn.ratelimit_reset",
}

-- What Sluice is told: the client's own fields, and who asks for what.
local function describe(txn)
  local fields = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if not not_passed_on[name] then
      local list = {}
      for i = 0, #values do list[#list + 1] = values[i] end
      fields[name] = list
    end
  end
  local uri = txn.sf:path()
  local query = txn.sf:query()
  if query ~= "" then uri = uri .. "?" .. query end
  fields["x-original-method"] = { txn.sf:method() }
  fields["x-original-uri"] = { uri }
  fields["x-original-host"] = { txn.sf:req_fhdr("host") }
  fields["x-forwarded-for"] = { txn.sf:src() }
  return fields
end

local function refuse(txn, status, headers, body)
  local reply = txn:reply({ status = status, body = body })
  for name, values in pairs(headers) do
    if name ~= "content-length" and name ~= "connection" then
      for i = 0, #values do reply:add_header(name, values[i]) end
    end
  end
  txn:done(reply)
end

-- HAProxy's client makes up a 503 or 504 of its own when nobody answers.
local function is_said_by_sluice(answer)
  local kind = answer and answer.headers and answer.headers["content-type"]
  return kind ~= nil and kind[0] == "application/problem+json"
end

core.register_action("sluice", { "http-req" }, function(txn, url, while_away)
  local answer = core.httpclient():get({ url = url, headers = describe(txn), timeout = 500 })
  local status = answer and answer.status or 0
  if status >= 200 and status < 300 then
    for name, variable in pairs(told_when_passed) do
      local values = answer.headers[name]
      if values then txn:set_var(variable, values[0]) end
    end
  elseif is_said_by_sluice(answer) then
    -- A refusal; or a request that Sluice itself does not take, which must not get around the limits.
    refuse(txn, status, answer.headers, answer.body)
  elseif while_away ~= "pass" then
    refuse(txn, 503, {}, "")
  end
end, 2)
