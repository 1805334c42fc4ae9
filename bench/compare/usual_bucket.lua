-- A token bucket as pages on the matter write it: a hash for each key, the time given by whoever asks, and a write and a
-- new expiry with every call, rejections too. ARGV: tokens per second, capacity, now in seconds, cost.
local rate, capacity, now, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'ts')
local tokens = tonumber(state[1]) or capacity
local at = tonumber(state[2]) or now
tokens = math.min(capacity, tokens + math.max(0, now - at) * rate)
local allowed, wait = 0, 0
if tokens >= cost then
  allowed, tokens = 1, tokens - cost
else
  wait = math.ceil((cost - tokens) / rate * 1000)
end
redis.call('HMSET', KEYS[1], 'tokens', tokens, 'ts', now)
redis.call('EXPIRE', KEYS[1], math.ceil(capacity / rate * 2))
return {allowed, tokens * 1000, wait}
