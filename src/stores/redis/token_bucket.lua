-- The token bucket, and both leaky ones, as in src/algorithms/token_bucket.h. Of a limit that begins at l, p[l + 1] is
-- the capacity, and p[l + 2] millionths come back every p[l + 3] microseconds.
local function make_token_bucket()
  local token_bucket = {}

  -- The millionths that have come back since `at`, rounded down, and the whole periods that went by.
  local function refill(l, at)
    local numerator, period = p[l + 2], p[l + 3]
    local elapsed = now > at and now - at or 0
    local rest = elapsed % period
    local periods = (elapsed - rest) / period
    local product = rest * numerator
    return periods * numerator + (product - product % period) / period, periods
  end

  -- Yields remaining and wait; spent and since as they will be; whether they are to be kept.
  -- REQUIRES: the state was written under this limit, or is that of a full bucket.
  local function decide_own(l, cost, micros, at)
    local capacity = p[l + 1]
    local back, periods = refill(l, at)
    if back >= micros then
      if cost <= capacity then return capacity - cost, 0, cost, now, true end
      return capacity, NEVER, micros, at, false
    end
    local left = capacity - micros + back
    if cost <= left then
      local delay = p[l] == LEAKY_QUEUE and wait_for(p[l + 2], p[l + 3], micros, at) or 0
      return left - cost, delay, micros - periods * p[l + 2] + cost, at + periods * p[l + 3], true
    end
    if left < 0 then left = 0 end
    if cost > capacity then return left, NEVER, micros, at, false end
    return left, -1 - wait_for(p[l + 2], p[l + 3], micros + cost - capacity, at), micros, at, false
  end

  -- Under an unchanged limit what is spent exceeds the capacity by less than one period's tokens.
  local function is_of_bucket(l, micros, pace_of)
    return micros == 0 or pace_of == p[l + 4] and micros <= p[l + 1] + p[l + 2]
  end

  local function carry_over(l, micros, at, pace_of)
    if is_of_bucket(l, micros, pace_of) then return micros, at, false end
    return math.min(still_spent(micros, at, pace_of), p[l + 1]), math.max(now, at), true
  end

  -- Yields what decide_own does.
  function token_bucket.decide(l, cost, micros, at, pace_of)
    local is_carried_over
    micros, at, is_carried_over = carry_over(l, micros, at, pace_of)
    local remaining, wait, next_spent, next_since, is_changed = decide_own(l, cost, micros, at)
    return remaining, wait, next_spent, next_since, is_changed or is_carried_over
  end

  function token_bucket.refund(l, cost, micros, at, pace_of)
    micros, at = carry_over(l, micros, at, pace_of)
    local back, periods = refill(l, at)
    if micros - back <= cost then return 0, 0 end
    return micros - periods * p[l + 2] - cost, at + periods * p[l + 3]
  end

  function token_bucket.is_full_in(l, micros, at, pace_of)
    micros, at = carry_over(l, micros, at, pace_of)
    return micros == 0 and 0 or wait_for(p[l + 2], p[l + 3], micros, at)
  end

  return token_bucket
end
