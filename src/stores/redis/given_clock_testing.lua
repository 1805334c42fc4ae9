-- In place of clock.lua, for tests: time is the third argument. Redis, whose own clock says something else, is told to
-- forget buckets as many milliseconds later as the fourth says, so that none expires while a test runs.
local now = tonumber(ARGV[3])
local function call(command, ...)
  if command ~= 'SET' then return redis.call(command, ...) end
  local key, state, option, milliseconds = ...
  return redis.call(command, key, state, option, milliseconds + ARGV[4])
end
