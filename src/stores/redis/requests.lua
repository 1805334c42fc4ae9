-- Requests for several buckets, as in src/stores/memory/request.cc.

-- Takes, three numbers each: all or nothing, and nothing when they are only looked at. A rejected request takes
-- from no bucket; one that found a changed limit carries its bucket over all the same. Whether they passed.
local function decide_together(takes, is_taken)
  local visits, visit_of, passes = {}, {}, true
  for i = 1, #takes, 3 do
    local visit = visit_of[takes[i]]
    if visit then
      visit.cost = visit.cost + takes[i + 2]  -- A bucket named twice pays twice.
    else
      open(takes[i])
      visit = {k = takes[i], l = takes[i + 1], cost = takes[i + 2]}
      visits[#visits + 1], visit_of[takes[i]] = visit, visit
    end
  end
  for i = 1, #visits do
    decide(visits[i])
    passes = passes and visits[i].wait >= 0
  end
  for i = 1, #visits do
    local visit = visits[i]
    if visit.wait < 0 then
      if visit.is_changed then keep(visit) end
    elseif passes and is_taken then
      keep(visit)
    else
      visit.remaining = visit.remaining + visit.cost
    end
    visit.reset_after = is_full_in(visit.k, visit.l)
  end
  for i = 1, #takes, 3 do
    local visit = visit_of[takes[i]]
    replies[count + 1], replies[count + 2], replies[count + 3] = visit.remaining, visit.wait, visit.reset_after
    count = count + 3
  end
  return passes
end

return {open = open, decide_together = decide_together, refund = refund, reset = reset, write_changes = write_changes,
        spent = spent, since = since, pace = pace, changed_under = changed_under}
end
