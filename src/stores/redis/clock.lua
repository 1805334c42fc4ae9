-- Redis's own time, read once for all that is asked in this call: whole microseconds, exact in a double until 2255.
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
