-- The pace of a bucket, as in src/algorithms/pace.h: 64 to 127 in the low six bits, times a power of two in the next
-- six; 4096 more for windows.

-- What is still spent, as far as the pace can tell.
local function still_spent(micros, at, pace_of)
  if micros == 0 then return 0 end
  local elapsed = now > at and now - at or 0
  local mantissa = 64 + pace_of % 64
  local exponent = (pace_of % 4096 - pace_of % 64) / 64
  if pace_of >= 4096 then
    local window = mantissa * 2 ^ (exponent - 6)
    return elapsed >= window - window % 1 and 0 or micros
  end
  -- Beyond 2^46 us (two years) the product would have more than 53 bits.
  if elapsed >= 2 ^ 46 then elapsed = elapsed - elapsed % 1024 end
  local back = mantissa * elapsed * 2 ^ (exponent - 37)
  back = back - back % 1
  return back < micros and micros - back or 0
end

-- What is spent and since when, once a bucket has come along the line of its pace up to now, or to shortly before.
local function move_along(micros, at, pace_of)
  local left = still_spent(micros, at, pace_of)
  if left == 0 or pace_of >= 4096 then return left, math.max(now, at) end
  local elapsed = now > at and now - at or 0
  local unit = elapsed < 2 ^ 46 and 1 or 1024
  local units = (elapsed - elapsed % unit) / unit
  -- `brought` millionths in each period of so many units.
  local brought, period = 64 + pace_of % 64, 2 ^ (37 - (pace_of - pace_of % 64) / 64) / unit
  while period > 1 and brought % 2 == 0 do brought, period = brought / 2, period / 2 end
  if period * unit > 2 ^ 16 then
    local back = brought * units / period
    back = back - back % 1
    local product = back * period
    return micros - back, at + (product + -product % brought) / brought * unit
  end
  if period < 1 then brought, period = brought / period, 1 end
  local whole = units - units % period
  return micros - whole / period * brought, at + whole * unit
end

-- How long it takes until so many have come back at a pace, rounded up generously.
local function time_to_refill(micros, pace_of)
  local mantissa = 64 + pace_of % 64
  local shift = 37 - (pace_of % 4096 - pace_of % 64) / 64
  local time = ((micros - micros % mantissa) / mantissa + 1) * 2 ^ shift
  if shift > 0 and time >= 2 ^ 53 then return FOREVER end
  return time - time % 1 + 1
end

-- A wait that ends at `at`: nothing if that is past, and never longer than the longest wait there is.
local function wait_until(at)
  local wait = at - now
  return wait < 0 and 0 or wait > FOREVER and FOREVER or wait
end

-- Until nothing is spent, as far as the pace can tell.
local function is_full_by_pace_in(micros, at, pace_of)
  local left = still_spent(micros, at, pace_of)
  if left == 0 then return 0 end
  if pace_of < 4096 then return time_to_refill(left, pace_of) end
  local window = (64 + pace_of % 64) * 2 ^ ((pace_of % 4096 - pace_of % 64) / 64 - 6)
  return wait_until(at + window - window % 1)
end
