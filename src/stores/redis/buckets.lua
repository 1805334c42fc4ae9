-- Buckets of every algorithm, as in src/algorithms/bucket.h and src/stores/memory/request.cc.
local made = {}

local function algorithm_by(make)
  made[make] = made[make] or make()
  return made[make]
end

local function algorithm_of_annex(left_behind)
  return algorithm_by(left_behind.form == LOG and make_log or make_counter)
end

-- The functions for a limit, and the form of its states.
local algorithms, forms = {}, {}

local function algorithm_of(l)
  if algorithms[l] then return algorithms[l], forms[l] end
  forms[l] = p[l] <= FIXED_WINDOW and SMALL or p[l] == SLIDING_WINDOW_LOG and LOG or COUNTER
  algorithms[l] = algorithm_by(p[l] < FIXED_WINDOW and make_rate or p[l] == FIXED_WINDOW and make_fixed_window
                               or p[l] == SLIDING_WINDOW_LOG and make_log or make_counter)
  return algorithms[l], forms[l]
end

-- Spent, since and pace; of an annex, what it still counts as spent, for another algorithm to start from. That may be
-- more than it may hold by now.
local function as_small(k)
  local left_behind = annex[k]
  if not left_behind then return spent[k], since[k], pace[k] end
  return algorithm_of_annex(left_behind).taken(left_behind), now, left_behind.pace
end

-- A bucket of which nothing is spent is as one never seen. What it has given changes only if that is said.
local function become_small(k, l, micros, at, now_given)
  annex[k], spent[k], since[k], pace[k], changed_under[k] = nil, micros, micros > 0 and at or 0, p[l + 4], l
  given[k], born[k] = now_given or given[k] or 0, born[k] or now_born
end

-- The bucket of a visit as its limit sees it, and what that decides. Changes nothing; keep() makes it so.
local function decide(visit)
  local k, l = visit.k, visit.l
  local algorithm, form = algorithm_of(l)
  if form == SMALL then
    visit.remaining, visit.wait, visit.spent, visit.since, visit.is_changed =
        algorithm.decide(l, visit.cost, as_small(k))
    return
  end
  visit.annex = annex[k]
  local starts_spent = false
  if not visit.annex or visit.annex.form ~= form then
    local before = still_spent(as_small(k))
    visit.annex, starts_spent = algorithm.make(l, before), before > 0
  end
  visit.remaining, visit.wait, visit.is_changed = algorithm.decide(l, visit.cost, visit.annex)
  visit.is_changed = visit.is_changed or starts_spent
end

local function keep(visit)
  local k, l = visit.k, visit.l
  local cost = visit.wait >= 0 and visit.cost or 0
  if not visit.annex then return become_small(k, l, visit.spent, visit.since, (given[k] + cost) % GIVEN_END) end
  if not algorithm_of(l).keep(l, cost, visit.annex) then return become_small(k, l, 0, 0) end
  annex[k], spent[k], changed_under[k] = visit.annex, nil, l
  visit.annex.capacity, visit.annex.pace = p[l + 1], p[l + 4]
end

-- Until the bucket as it now stands is full.
local function is_full_in(k, l)
  local algorithm, form = algorithm_of(l)
  if form == SMALL then return algorithm.is_full_in(l, as_small(k)) end
  if annex[k] and annex[k].form == form then return algorithm.is_full_in(l, annex[k]) end
  return is_full_by_pace_in(as_small(k))
end

-- An annex is refunded by its own window, whatever the limit of the refund is.
local function refund(k, l, cost)
  local algorithm, form = algorithm_of(l)
  if annex[k] then
    changed_under[k] = l
    if not algorithm_of_annex(annex[k]).refund(cost, annex[k]) then become_small(k, l, 0, 0) end
  elseif form == SMALL and spent[k] > 0 then
    become_small(k, l, algorithm.refund(l, cost, spent[k], since[k], pace[k]))
  end
end

-- Makes it as if `cost` had never been taken: never more than it would have now. `had_given` is what the bucket had given
-- with it. One that was born after that has been full since.
local function undo(k, l, cost, taken_at, had_given)
  local algorithm, form = algorithm_of(l)
  if annex[k] then
    changed_under[k] = l
    if not algorithm_of_annex(annex[k]).undo(cost, annex[k], taken_at) then become_small(k, l, 0, 0) end
  elseif form == SMALL and spent[k] > 0 then
    local born_after = (born[k] - taken_at) % 2 ^ 32
    if born_after > 0 and born_after <= now - taken_at then return end
    local given_since = (given[k] - had_given) % GIVEN_END
    local owed = algorithm.owed(l, cost, given_since, taken_at, spent[k], since[k], pace[k])
    if owed > 0 then become_small(k, l, algorithm.refund(l, owed, spent[k], since[k], pace[k])) end
  end
end

-- Of a bucket that goes on at a faster rate, or in another window, others may know longer waits than it now has.
local function tell_of_pace(k, form, now_pace)
  if ARGV[2] == '' or not values[k] or #values[k] < SMALL_SIZE then return end
  local form_before, pace_before = unpack_bytes('<BH', values[k])
  local is_slower_rate = pace_before < 4096 and now_pace <= pace_before
  if is_slower_rate or form == form_before and now_pace == pace_before then return end
  call('PUBLISH', ARGV[2], KEYS[k])
end

-- Writes what became of every bucket that was changed: once, however often it was asked. A bucket that is full is none.
local function write_changes()
  for k, l in pairs(changed_under) do
    local kept = annex[k]
    tell_of_pace(k, kept and kept.form or SMALL, kept and kept.pace or pace[k])
    if kept then
      local text, full_at = algorithm_of_annex(kept).text(kept)
      local state = pack('<BHdd', kept.form, kept.pace, kept.capacity, kept.window) .. text
      call('SET', KEYS[k], state, 'PXAT', (full_at + -full_at % 1000) / 1000)
    elseif spent[k] > 0 then
      local time = p[l] < FIXED_WINDOW and spent[k] / p[l + 5] or p[l + 5]
      write_small(k, pace[k], spent[k], since[k], given[k], born[k], time)
    elseif values[k] then
      call('DEL', KEYS[k])
    end
  end
end
