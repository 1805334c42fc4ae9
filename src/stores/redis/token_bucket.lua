-- The token bucket, as in src/algorithms/token_bucket.h. Numbers are given one by one, since a table costs more than
-- the decision: `numerator` millionths come back every `period` microseconds, and `micros` were spent at `at`.

-- When so many will have come back since `at`, as a wait from now, rounded up.
local function wait_for(numerator, period, micros, at)
  local rest = micros % numerator
  local whole = (micros - rest) / numerator * period
  if whole > FOREVER - period then return FOREVER end
  local product = rest * period
  local wait = at - now + whole + (product + -product % numerator) / numerator
  return wait < 0 and 0 or wait > FOREVER and FOREVER or wait
end

-- Yields what remains, the wait, and what is spent since when if it is kept: as it was, if the wait is below 0.
-- REQUIRES: the state falls at the rate of this limit, or is that of a full bucket.
local function decide_own(capacity, numerator, period, cost, micros, at)
  local elapsed = now > at and now - at or 0
  local rest = elapsed % period
  local product = rest * numerator
  local whole = (elapsed - rest) / period * numerator
  local back = whole + (product - product % period) / period
  if back >= micros then
    if cost <= capacity then return capacity - cost, 0, cost, now end
    return capacity, NEVER, micros, at
  end
  local left = capacity - micros + back
  if cost <= left then return left - cost, 0, micros - whole + cost, at + elapsed - rest end
  if left < 0 then left = 0 end
  if cost > capacity then return left, NEVER, micros, at end
  return left, -1 - wait_for(numerator, period, micros + cost - capacity, at), micros, at
end

-- Writes a bucket, and in the same step tells Redis when to forget it: when it is full, rounded up to a millisecond.
-- That is `time` after `at`, by the bucket's pace, since by that a changed limit would find it still spent (law 8):
-- exact for rates of up to 7 significant bits, and less than 1/64 late for others. `given` is what was taken since it was
-- `born`, also if it was given back; both are for takes that are to be undone.
local function write_small(k, pace_of, micros, at, given, born, time)
  if time > FOREVER then time = FOREVER end
  -- Beyond 2^46 us a pace knows time in units of 1024 us.
  local full_at = at + (time < 2 ^ 46 and time + -time % 1 or time + -time % 1024)
  -- As text: it takes Redis longer to print a number that may have a fraction.
  local milliseconds = string.format('%d', (full_at + -full_at % 1000) / 1000)
  call('SET', KEYS[k], pack(SMALL_FORMAT, SMALL, pace_of, micros, at, given, born), 'PXAT', milliseconds)
end
