-- One ask after the other, as in src/stores/memory/memory_store.cc.
local others
local at = 2 + 6 * p[1]
while at <= program_size do
  local action = p[at]
  if action >= TAKE_EACH then
    -- The takes that come most often: as in token_bucket.lua, but with its functions written out.
    local is_once, l, cost, first = action == TAKE_ONCE, p[at + 1], p[at + 2], p[at + 3]
    local algorithm, capacity, numerator, period, own_pace = p[l], p[l + 1], p[l + 2], p[l + 3], p[l + 4]
    if not is_once then others = others or make_others() end
    for k = first, first + p[at + 4] - 1 do
      local form, pace_of, micros, start = SMALL, 0, 0, 0
      if not is_once then
        others.open(k)
        micros, start, pace_of = others.spent[k], others.since[k], others.pace[k]
      elseif values[k] then
        form, pace_of, micros, start = unpack_bytes('<BHdd', values[k])
      end
      if algorithm < LEAKY_QUEUE and form == SMALL and micros
          and (micros == 0 or pace_of == own_pace and micros <= capacity + numerator) then
        local elapsed = now > start and now - start or 0
        local whole = elapsed - elapsed % period
        local product = (elapsed - whole) * numerator
        local back = whole / period * numerator + (product - product % period) / period
        if back >= micros then micros, start, whole, back = 0, now, 0, 0 end
        local left, wait = capacity - micros + back, 0
        if cost > left then
          if left < 0 then left = 0 end
          wait = cost > capacity and NEVER or -1 - wait_for(numerator, period, micros + cost - capacity, start)
        else
          left = left - cost
          micros, start = micros - whole / period * numerator + cost, start + whole
          if is_once then
            write_small(k, own_pace, micros, start, micros / p[l + 5])
          else
            others.spent[k], others.since[k], others.pace[k], others.changed_under[k] = micros, start, own_pace, l
          end
        end
        replies[count + 1], replies[count + 2] = left, wait
        replies[count + 3] = wait_for(numerator, period, micros, start)
        count = count + 3
      else
        others = others or make_others()
        others.decide_together({k, l, cost}, true)
      end
    end
    at = at + 5
  elseif action <= PEEK then
    others = others or make_others()
    local together, behind = 3 * p[at + 1], 3 * p[at + 2]
    at = at + 3
    local passes = others.decide_together({unpack(p, at, at + together - 1)}, action == TAKE)
    at = at + together
    for i = at, at + behind - 1, 3 do others.decide_together({p[i], p[i + 1], p[i + 2]}, passes and action == TAKE) end
    at = at + behind
  else
    others = others or make_others()
    for i = at + 2, at + 1 + 3 * p[at + 1], 3 do
      local k, l, cost = p[i], p[i + 1], p[i + 2]
      others.open(k)
      if action == REFUND then others.refund(k, l, cost) else others.reset(k, l) end
      if ARGV[2] ~= '' then call('PUBLISH', ARGV[2], KEYS[k]) end
    end
    at = at + 2 + 3 * p[at + 1]
  end
end
if others then others.write_changes() end

return pack(doubles(count), unpack(replies))
