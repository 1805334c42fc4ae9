-- The fixed window, as in src/algorithms/fixed_window.h. Of a limit that begins at l, p[l + 2] is the window.
local function make_fixed_window()
  local fixed_window = {}

  local function is_of_window(l, at, pace_of)
    return pace_of == p[l + 4] and at % p[l + 2] == 0
  end

  -- What is spent in the window of now, and its start, also after a clock has jumped back.
  local function current(l, micros, at, pace_of)
    local window = p[l + 2]
    local start = now - now % window
    if micros == 0 then return 0, start end
    if not is_of_window(l, at, pace_of) then
      local not_before = math.max(now, at)
      return still_spent(micros, at, pace_of), not_before - not_before % window
    end
    if at >= start then return micros, at end
    return 0, start
  end

  -- Yields what rate.decide does.
  function fixed_window.decide(l, cost, micros, at, pace_of)
    local capacity = p[l + 1]
    local taken, start = current(l, micros, at, pace_of)
    local left = capacity - taken
    if cost <= left then return left - cost, 0, taken + cost, start, true end
    if left < 0 then left = 0 end
    local is_carried_over = micros ~= 0 and not is_of_window(l, at, pace_of)
    if cost > capacity then return left, NEVER, taken, start, is_carried_over end
    return left, -1 - wait_until(start + p[l + 2]), taken, start, is_carried_over
  end

  function fixed_window.refund(l, cost, micros, at, pace_of)
    local taken, start = current(l, micros, at, pace_of)
    return math.max(0, taken - cost), start
  end

  -- What was taken in an earlier window does not count any more.
  function fixed_window.owed(l, cost, _, taken_at)
    return now - now % p[l + 2] == taken_at - taken_at % p[l + 2] and cost or 0
  end

  function fixed_window.is_full_in(l, micros, at, pace_of)
    local taken, start = current(l, micros, at, pace_of)
    return taken == 0 and 0 or wait_until(start + p[l + 2])
  end

  return fixed_window
end
