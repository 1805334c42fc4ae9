-- Requests of every kind, as in src/stores/memory/request.cc.

-- One bucket of a request, with all it will have, so that it need not grow.
local function visit_to(k, l, cost)
  return {k = k, l = l, cost = cost, annex = false, spent = 0, since = 0, is_changed = false, remaining = 0, wait = 0,
          reset_after = 0}
end

-- A rejected request takes from no bucket; one that found a changed limit carries its bucket over all the same. Who only
-- looks changes nothing.
local function settle(visit, is_taken, is_peek)
  if visit.wait < 0 then
    if visit.is_changed and not is_peek then keep(visit) end
  elseif is_taken then
    keep(visit)
  else
    visit.remaining = visit.remaining + visit.cost
  end
  visit.reset_after = is_full_in(visit.k, visit.l)
end

local function tell(visit)
  replies[count + 1], replies[count + 2], replies[count + 3] = visit.remaining, visit.wait, visit.reset_after
  replies[count + 4] = given[visit.k] or 0
  count = count + 4
end

-- A bucket that cannot be read, or one that was asked together with such.
local function tell_undecided(k)
  tell({k = k, remaining = 0, wait = open(k) and -1 or UNREADABLE, reset_after = 0})
end

local function decide_alone(k, l, cost, is_taken)
  if not open(k) then return tell_undecided(k) end
  local visit = visit_to(k, l, cost)
  decide(visit)
  settle(visit, is_taken, not is_taken)
  tell(visit)
end

-- The takes of the program from `first` to `last`: all or nothing, and nothing when they are only looked at. Whether
-- they passed.
local function decide_together(first, last, is_taken)
  local visits, visit_of, passes = {}, {}, true
  for i = first, last, 3 do passes = open(math.abs(p[i])) and passes end
  if not passes then
    for i = first, last, 3 do tell_undecided(math.abs(p[i])) end
    return false
  end
  for i = first, last, 3 do
    local k = math.abs(p[i])
    local visit = visit_of[k]
    if visit then
      visit.cost = visit.cost + p[i + 2]  -- A bucket named twice pays twice.
    else
      visit = visit_to(k, p[i + 1], p[i + 2])
      visits[#visits + 1], visit_of[k] = visit, visit
    end
  end
  for i = 1, #visits do
    decide(visits[i])
    passes = passes and visits[i].wait >= 0
  end
  for i = 1, #visits do settle(visits[i], passes and is_taken, not is_taken) end
  for i = first, last, 3 do tell(visit_of[math.abs(p[i])]) end
  return passes
end

-- An ask of any kind that begins in the program at `at`. Where the next one does.
local function ask(at)
  local action = p[at]
  if action <= PEEK then
    local first_behind = at + 3 + 3 * p[at + 1]
    local next_ask = first_behind + 3 * p[at + 2]
    local is_taken = decide_together(at + 3, first_behind - 1, action == TAKE) and action == TAKE
    for i = first_behind, next_ask - 1, 3 do decide_alone(p[i], p[i + 1], p[i + 2], is_taken) end
    return next_ask
  end
  local is_undo = action == UNDO or action == QUIET_UNDO
  local size = is_undo and 5 or 3
  local next_ask = at + 2 + size * p[at + 1]
  for i = at + 2, next_ask - 1, size do
    local k, l, cost = p[i], p[i + 1], p[i + 2]
    if action == RESET then
      become_small(k, l, 0, 0)
    elseif is_undo then
      if open(k) then undo(k, l, cost, p[i + 3], p[i + 4]) end
    elseif open(k) then
      refund(k, l, cost)
    end
    if ARGV[2] ~= '' and action ~= QUIET_UNDO then
      call('PUBLISH', ARGV[2], action == RESET and 'reset ' .. KEYS[k] or KEYS[k])
    end
  end
  return next_ask
end

return {known = known, change = become_small, decide_alone = decide_alone, decide_together = decide_together, ask = ask,
        write_changes = write_changes}
end
