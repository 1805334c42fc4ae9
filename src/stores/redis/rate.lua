-- Buckets that refill at a rate: what token_bucket.lua leaves out. Of a limit that begins at l, p[l + 1] is the capacity,
-- p[l + 2] millionths come back every p[l + 3] microseconds, and p[l + 4] is the pace.
local function make_rate()
  local rate = {}

  -- What is spent stays spent, also beyond the capacity.
  local function carry_over(l, micros, at, pace_of)
    if micros == 0 or pace_of == p[l + 4] then return micros, at, false end
    micros, at = move_along(micros, at, pace_of)
    return micros, at, true
  end

  -- Yields what decide_own does, and whether that is to be kept.
  function rate.decide(l, cost, micros, at, pace_of)
    local is_carried_over
    micros, at, is_carried_over = carry_over(l, micros, at, pace_of)
    local remaining, wait, next_spent, next_since = decide_own(p[l + 1], p[l + 2], p[l + 3], cost, micros, at)
    if wait == 0 and p[l] == LEAKY_QUEUE then wait = wait_for(p[l + 2], p[l + 3], micros, at) end
    return remaining, wait, next_spent, next_since, wait >= 0 or is_carried_over
  end

  -- A refund is a take of less than nothing from a bucket that holds as much as one can.
  function rate.refund(l, cost, micros, at, pace_of)
    micros, at = carry_over(l, micros, at, pace_of)
    local left, _, next_spent, next_since = decide_own(FOREVER, p[l + 2], p[l + 3], -cost, micros, at)
    if left >= FOREVER then return 0, 0 end
    return next_spent, next_since
  end

  -- What a bucket must get back that gave `cost`, and `given_since` after that, so that it never has more than if it had not
  -- given `cost`: as much may be spent as if it had been full until then (docs/decisions/0022-what-a-bucket-gave.md).
  function rate.owed(l, cost, given_since, _, micros, at, pace_of)
    if given_since == 0 then return cost end
    micros, at = carry_over(l, micros, at, pace_of)
    -- What is spent now, rounded down.
    local spent_now = FOREVER - decide_own(FOREVER, p[l + 2], p[l + 3], 0, micros, at) - 1
    return math.min(cost, spent_now - given_since)
  end

  function rate.is_full_in(l, micros, at, pace_of)
    micros, at = carry_over(l, micros, at, pace_of)
    return micros == 0 and 0 or wait_for(p[l + 2], p[l + 3], micros, at)
  end

  return rate
end
