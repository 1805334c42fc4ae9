-- The sliding window log, as in src/algorithms/sliding_window_log.h. An annex has the `count` of its admissions and
-- their `total`; the newest, `micros` at `at`; the others in `text` from `head` to before `tail`, 16 bytes each, so that
-- a long log is copied, but not read, for each decision.
local function make_log()
  local log = {}
  -- As in src/stores/memory/annex.h: a longer log merges its newest admissions.
  local MOST = 65536

  -- The time and the cost of an admission, the oldest being the first.
  local function admission(entries, i)
    if i == entries.count then return entries.at, entries.micros end
    return unpack_bytes('<dd', entries.text, entries.head + 16 * (i - 1))
  end

  -- How many admissions, from the oldest on, no longer count, and what they cost.
  local function count_left(entries, window)
    if entries.count == 0 then return 0, 0 end
    window = math.min(window, entries.window)
    local time = math.max(now, entries.at)
    local left, cost = 0, 0
    while left < entries.count do
      local at, micros = admission(entries, left + 1)
      if time - at < window then break end
      left, cost = left + 1, cost + micros
    end
    return left, cost
  end

  -- Drops what no longer counts, and puts the rest under this window.
  local function carry_over(entries, window)
    local left, cost = count_left(entries, window)
    entries.head = entries.head + 16 * left
    entries.count = entries.count - left
    entries.total = entries.total - cost
    entries.window = window
  end

  local function record(entries, window, cost)
    carry_over(entries, window)
    local time = entries.count == 0 and now or math.max(now, entries.at)
    entries.total = entries.total + cost
    if entries.count > 0 then
      if entries.count == MOST or entries.at == time then
        entries.at, entries.micros = time, entries.micros + cost
        return
      end
      entries.text = entries.text:sub(entries.head, entries.tail - 1) .. pack('<dd', entries.at, entries.micros)
      entries.head, entries.tail = 1, #entries.text + 1
    end
    entries.count, entries.at, entries.micros = entries.count + 1, time, cost
  end

  function log.make(l, micros)
    local entries = {form = LOG, window = p[l + 2], total = 0, count = 0, text = '', head = 1, tail = 1}
    if micros > 0 then record(entries, p[l + 2], micros) end
    return entries
  end

  function log.taken(entries)
    local _, left = count_left(entries, entries.window)
    return entries.total - left
  end

  -- Yields remaining and wait; whether anything is to be kept.
  function log.decide(l, cost, entries)
    local capacity, window = p[l + 1], p[l + 2]
    local gone, cost_of_gone = count_left(entries, window)
    local left = capacity - (entries.total - cost_of_gone)
    if cost <= left then return left - cost, 0, true end
    local remaining = math.max(0, left)
    local is_carried_over = entries.count > 0 and entries.window < window
    if cost > capacity then return remaining, NEVER, is_carried_over end
    -- It passes when enough of the oldest admissions have left.
    local missing, last = cost - left, 0
    while missing > 0 do
      gone = gone + 1
      local at, micros = admission(entries, gone)
      missing, last = missing - micros, at
    end
    return remaining, -1 - wait_until(last + window), is_carried_over
  end

  -- Writes down what decide() allowed; a cost of nothing only carries over. Whether anything is left to be remembered.
  function log.keep(l, cost, entries)
    if cost > 0 then
      record(entries, p[l + 2], cost)
    else
      carry_over(entries, p[l + 2])
    end
    return entries.count > 0
  end

  -- Gives back the newest first. Whether anything is left to be remembered.
  function log.refund(cost, entries)
    carry_over(entries, entries.window)
    while entries.count > 0 and cost > 0 do
      local back = math.min(entries.micros, cost)
      entries.micros, entries.total, cost = entries.micros - back, entries.total - back, cost - back
      if entries.micros == 0 then
        entries.count = entries.count - 1
        if entries.count > 0 then
          entries.tail = entries.tail - 16
          entries.at, entries.micros = unpack_bytes('<dd', entries.text, entries.tail)
        end
      end
    end
    return entries.count > 0
  end

  -- Takes it off the admission of that time. Whether anything is left to be remembered.
  function log.undo(cost, entries, taken_at)
    carry_over(entries, entries.window)
    if entries.count > 0 and entries.at == taken_at then return log.refund(math.min(cost, entries.micros), entries) end
    for i = entries.count - 1, 1, -1 do
      local at, micros = admission(entries, i)
      if at == taken_at then
        local back, place = math.min(micros, cost), entries.head + 16 * (i - 1)
        local rest = micros > back and pack('<dd', at, micros - back) or ''
        entries.text = entries.text:sub(entries.head, place - 1) .. rest .. entries.text:sub(place + 16, entries.tail - 1)
        entries.head, entries.tail = 1, #entries.text + 1
        entries.count, entries.total = entries.count - (rest == '' and 1 or 0), entries.total - back
      end
      if at <= taken_at then break end
    end
    return entries.count > 0
  end

  function log.is_full_in(l, entries)
    if entries.count == count_left(entries, p[l + 2]) then return 0 end
    return wait_until(entries.at + p[l + 2])
  end

  -- The bytes behind the capacity and the window, and when the last admission will have left.
  function log.text(entries)
    return pack('<d', entries.total) .. entries.text:sub(entries.head, entries.tail - 1) ..
           pack('<dd', entries.at, entries.micros), entries.at + entries.window
  end

  return log
end
