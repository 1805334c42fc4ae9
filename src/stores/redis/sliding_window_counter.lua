-- The sliding window counter, as in src/algorithms/sliding_window_counter.h. An annex has the counts `current` and
-- `previous`, and the `start` and length of the `window`.
local function make_counter()
  local counter = {}

  -- a * b / c rounded down, and what is left over. Where the product has more than 53 bits, it is made of the digits of
  -- a in a base in which all products fit. REQUIRES: c <= 2^52, and the quotient is below 2^53.
  local function multiply_divide(a, b, c)
    local product = a * b
    if product < 2 ^ 53 then return (product - product % c) / c, product % c end
    local most = 2 ^ 53 - 1
    local base = (most - most % c) / c
    local b_rest = b % c
    local whole = a * ((b - b_rest) / c)
    local digits = {}
    while a > 0 do
      digits[#digits + 1] = a % base
      a = (a - a % base) / base
    end
    local quotient, rest = 0, 0
    for i = #digits, 1, -1 do
      local carried, added = rest * base, digits[i] * b_rest
      quotient = quotient * base + (carried - carried % c) / c + (added - added % c) / c
      rest = carried % c + added % c
      if rest >= c then quotient, rest = quotient + 1, rest - c end
    end
    return whole + quotient, rest
  end

  -- What is left of the previous window's count, rounded up.
  local function faded(previous, start, window)
    local elapsed = now > start and now - start or 0
    local quotient, rest = multiply_divide(previous, window - elapsed, window)
    return rest > 0 and quotient + 1 or quotient
  end

  -- The counts as they stand now, in a window of this length: current, previous, start.
  local function at(counts, window)
    local own = counts.window
    if not own then return 0, 0, now - now % window end
    local current, previous, start = counts.current, counts.previous, counts.start
    local start_now = now - now % own
    if start < start_now then
      current, previous, start = 0, start_now - own == start and current or 0, start_now
    end
    if own == window then return current, previous, start end
    -- The length was changed: what is in sight now counts as taken in the new window.
    local not_before = math.max(now, start)
    return current + faded(previous, start, own), 0, not_before - not_before % window
  end

  -- The time until `taken` of the past have faded to at most `room`, from the start of the window they fade in.
  local function time_to_fade(taken, room, window)
    if taken <= room then return 0 end
    return window - multiply_divide(room, window, taken)
  end

  function counter.make(l, micros)
    if micros == 0 then return {form = COUNTER} end
    return {form = COUNTER, window = p[l + 2], current = micros, previous = 0, start = now - now % p[l + 2]}
  end

  function counter.taken(counts)
    local current, previous, start = at(counts, counts.window)
    return current + faded(previous, start, counts.window)
  end

  -- Yields remaining and wait; whether anything is to be kept.
  function counter.decide(l, cost, counts)
    local capacity, window = p[l + 1], p[l + 2]
    local current, previous, start = at(counts, window)
    local left = capacity - current - faded(previous, start, window)
    if cost <= left then return left - cost, 0, true end
    if left < 0 then left = 0 end
    local is_carried_over = counts.window ~= nil and counts.window ~= window
    if cost > capacity then return left, NEVER, is_carried_over end
    local room = capacity - cost
    local wait = current <= room and time_to_fade(previous, room - current, window)
                 or window + time_to_fade(current, room, window)
    return left, -1 - wait_until(start + wait), is_carried_over
  end

  -- Writes down what decide() allowed; a cost of nothing only carries over. Whether anything is to be remembered: also
  -- the time, where nothing was taken yet.
  function counter.keep(l, cost, counts)
    local window = p[l + 2]
    local current, previous, start = at(counts, window)
    counts.current, counts.previous, counts.start, counts.window = current + cost, previous, start, window
    return true
  end

  -- Whether anything is left to be remembered.
  function counter.refund(cost, counts)
    local current, previous, start = at(counts, counts.window)
    local from_current = math.min(current, cost)
    counts.current, counts.start = current - from_current, start
    counts.previous = math.max(0, previous - (cost - from_current))
    return counts.current > 0 or counts.previous > 0
  end

  -- Takes it off the window that it was counted in. Whether anything is left to be remembered.
  function counter.undo(cost, counts, taken_at)
    local window = counts.window
    local current, previous, start = at(counts, window)
    local was_start = taken_at - taken_at % window
    if was_start == start then
      current = math.max(0, current - cost)
    elseif was_start == start - window then
      previous = math.max(0, previous - cost)
    end
    counts.current, counts.previous, counts.start = current, previous, start
    return current > 0 or previous > 0
  end

  function counter.is_full_in(l, counts)
    local window = p[l + 2]
    local current, previous, start = at(counts, window)
    if current == 0 and previous == 0 then return 0 end
    return wait_until(start + (current > 0 and 2 or 1) * window)
  end

  -- The bytes behind the capacity and the window, and when nothing of what was taken will be in sight.
  function counter.text(counts)
    return pack('<ddd', counts.current, counts.previous, counts.start),
           counts.start + (counts.current > 0 and 2 or 1) * counts.window
  end

  return counter
end
