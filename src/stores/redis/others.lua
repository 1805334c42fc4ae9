-- What most calls do not need: buckets that are asked more than once, and everything that is not the take of a token
-- bucket. Lua makes every function of a script anew in every call, so that all of it is in one function, which is called
-- when it is needed. It begins here and ends with requests.lua.

-- The reply so far.
local replies, count = {}, 0

local function make_others()
local SLIDING_WINDOW_LOG = 4
local COUNTER, LOG = 2, 3
local COUNTER_SIZE, SHORTEST_LOG = 43, 43

-- What is known of each bucket: its state, or, if it is a sliding window, its annex and nothing as spent.
local spent, since, pace, given, born, annex = {}, {}, {}, {}, {}, {}
-- Where the limit begins under which a bucket was changed in this call.
local changed_under = {}

-- Reads the state of a bucket, once. Whether it can be read: what a later Sluice wrote, or somebody else, cannot.
local function open(k)
  if spent[k] or annex[k] then return true end
  local value = values[k]
  given[k], born[k] = 0, now_born
  if not value then
    spent[k], since[k], pace[k] = 0, 0, 0
    return true
  end
  if #value < SMALL_SIZE then return false end
  local form, pace_of, first, second, gave, was_born = unpack_bytes(SMALL_FORMAT, value)
  if form == SMALL and #value == SMALL_SIZE then
    spent[k], since[k], pace[k], given[k], born[k] = first, second, pace_of, gave, was_born
  elseif form == COUNTER and #value == COUNTER_SIZE then
    local current, previous, start = unpack_bytes('<ddd', value, 20)
    annex[k] = {form = COUNTER, pace = pace_of, capacity = first, window = second,
                current = current, previous = previous, start = start}
  elseif form == LOG and #value >= SHORTEST_LOG and (#value - SHORTEST_LOG) % 16 == 0 then
    local total = unpack_bytes('<d', value, 20)
    local at, micros = unpack_bytes('<dd', value, #value - 15)
    annex[k] = {form = LOG, pace = pace_of, capacity = first, window = second, total = total,
                at = at, micros = micros, count = (#value - 27) / 16, text = value, head = 28, tail = #value - 15}
  else
    return false
  end
  return true
end

local function known(k)
  open(k)
  return spent[k], since[k], pace[k], given[k], born[k]
end
