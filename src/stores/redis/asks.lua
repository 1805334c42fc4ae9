-- One ask after the other, as in src/stores/memory/memory_store.cc.
local replies, count = {}, 0
local buckets

-- Takes of the program from `at` on: all or nothing, and nothing when they are only looked at. A rejected request takes
-- from no bucket; one that found a changed limit carries its bucket over all the same. Whether they passed.
local function decide_together(takes, is_taken)
  buckets = buckets or make_buckets()
  local visits, visit_of, passes = {}, {}, true
  for i = 1, #takes, 3 do
    local visit = visit_of[takes[i]]
    if visit then
      visit.cost = visit.cost + takes[i + 2]  -- A bucket named twice pays twice.
    else
      visit = {k = takes[i], l = takes[i + 1], cost = takes[i + 2]}
      visits[#visits + 1], visit_of[takes[i]] = visit, visit
    end
  end
  for i = 1, #visits do
    buckets.decide(visits[i])
    passes = passes and visits[i].wait >= 0
  end
  for i = 1, #visits do
    local visit = visits[i]
    if visit.wait < 0 then
      if visit.is_changed then buckets.keep(visit) end
    elseif passes and is_taken then
      buckets.keep(visit)
    else
      visit.remaining = visit.remaining + visit.cost
    end
    visit.reset_after = buckets.is_full_in(visit.k, visit.l)
  end
  for i = 1, #takes, 3 do
    local visit = visit_of[takes[i]]
    replies[count + 1], replies[count + 2], replies[count + 3] = visit.remaining, visit.wait, visit.reset_after
    count = count + 3
  end
  return passes
end

local at = 2 + 6 * p[1]
while at <= program_size do
  local action = p[at]
  if action == TAKE_EACH then
    -- The takes that come most often: as in token_bucket.lua, but with its functions written out.
    local l, cost, first = p[at + 1], p[at + 2], p[at + 3]
    local algorithm, capacity, numerator, period, own_pace = p[l], p[l + 1], p[l + 2], p[l + 3], p[l + 4]
    for k = first, first + p[at + 4] - 1 do
      local micros, start = spent[k], since[k]
      if algorithm < LEAKY_QUEUE and micros
          and (micros == 0 or pace[k] == own_pace and micros <= capacity + numerator) then
        local elapsed = now > start and now - start or 0
        local whole = elapsed - elapsed % period
        local product = (elapsed - whole) * numerator
        local back = whole / period * numerator + (product - product % period) / period
        if back >= micros then micros, start, whole, back = 0, now, 0, 0 end
        local left, wait = capacity - micros + back, 0
        if cost <= left then
          left = left - cost
          micros, start = micros - whole / period * numerator + cost, start + whole
          spent[k], since[k], pace[k], changed_under[k] = micros, start, own_pace, l
        else
          if left < 0 then left = 0 end
          wait = cost > capacity and NEVER or -1 - wait_for(numerator, period, micros + cost - capacity, start)
        end
        replies[count + 1], replies[count + 2] = left, wait
        replies[count + 3] = wait_for(numerator, period, micros, start)
        count = count + 3
      else
        decide_together({k, l, cost}, true)
      end
    end
    at = at + 5
  elseif action <= PEEK then
    local together, behind = 3 * p[at + 1], 3 * p[at + 2]
    at = at + 3
    local passes = decide_together({unpack(p, at, at + together - 1)}, action == TAKE)
    at = at + together
    for i = at, at + behind - 1, 3 do decide_together({p[i], p[i + 1], p[i + 2]}, passes and action == TAKE) end
    at = at + behind
  else
    buckets = buckets or make_buckets()
    for i = at + 2, at + 1 + 3 * p[at + 1], 3 do
      local k, l, cost = p[i], p[i + 1], p[i + 2]
      if action == REFUND then buckets.refund(k, l, cost) else buckets.reset(k, l) end
      if ARGV[2] ~= '' then call('PUBLISH', ARGV[2], KEYS[k]) end
    end
    at = at + 2 + 3 * p[at + 1]
  end
end
