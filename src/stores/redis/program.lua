-- Decides any number of asks in the order given, each in one step, as MemoryStore::ask does. The formulas are those of
-- src/algorithms, and so are the names; docs/decisions/0014-redis-script.md says what is special here.
--
--   KEYS     the buckets, each once
--   ARGV[1]  the program: doubles. How many limits; each limit in six; then the asks, up to the end.
--            a bucket's limit   algorithm, capacity, numerator, denominator, pace, the rate that the pace stands for
--            a window's limit   algorithm, capacity, window, 0, pace, the window that the pace stands for
--            an ask             TAKE_EACH, limit, cost, the first of KEYS, how many of them: each on its own
--                               TAKE or PEEK, how many together, how many behind them, then the takes
--                               REFUND or RESET, how many, then the takes
--            a take             which of KEYS, limit, cost; a limit is where in the program it begins
--   ARGV[2]  a channel on which buckets are told of that were refunded or reset, or nothing
--
-- The reply is three doubles for each take that is not refunded or reset: remaining, wait and reset_after. The wait is
-- the delay of a take that is allowed; of one that is not, it is -1 - retry_after, and NEVER if it never can be.
-- Tokens are in millionths, time is in microseconds. Numbers are integers below 2^53, so that every sum, product,
-- quotient with remainder (x - x % y) / y and comparison is exact.
local TAKE, PEEK, REFUND, TAKE_EACH = 0, 1, 2, 4
local LEAKY_QUEUE, FIXED_WINDOW, SLIDING_WINDOW_LOG = 2, 3, 4
local FOREVER, NEVER = 9e15, -1e16
-- The first byte of a state: its form. A new form, or a new meaning of one, takes a new number.
local SMALL, COUNTER, LOG = 1, 2, 3

local pack, unpack_bytes = struct.pack, struct.unpack

-- The format of so many doubles. string.rep takes its time for each piece, so that pieces are long.
local function doubles(many)
  return '<' .. string.rep('dddddddddddddddddddddddddddddddd', many / 32 + 1):sub(1, many)
end

local program_size = #ARGV[1] / 8
local p = {unpack_bytes(doubles(program_size), ARGV[1])}

-- What is known of each bucket: its state, or, if it is a sliding window, its annex and nothing as spent.
local spent, since, pace, annex = {}, {}, {}, {}
-- Where the limit begins under which a bucket was changed in this call.
local changed_under = {}

local values = call('MGET', unpack(KEYS))
for k = 1, #KEYS do
  local value = values[k]
  if value then
    local form, pace_of, first, second = unpack_bytes('<BHdd', value)
    if form == SMALL then
      spent[k], since[k], pace[k] = first, second, pace_of
    elseif form == COUNTER then
      local current, previous, start = unpack_bytes('<ddd', value, 20)
      annex[k] = {form = COUNTER, pace = pace_of, capacity = first, window = second,
                  current = current, previous = previous, start = start}
    elseif form == LOG then
      local total = unpack_bytes('<d', value, 20)
      local at, micros = unpack_bytes('<dd', value, #value - 15)
      annex[k] = {form = LOG, pace = pace_of, capacity = first, window = second, total = total,
                  at = at, micros = micros, count = (#value - 27) / 16, text = value, head = 28, tail = #value - 15}
    else
      return redis.error_reply('SLUICE cannot read ' .. KEYS[k] .. ': a newer Sluice wrote it, or none did')
    end
  else
    spent[k], since[k], pace[k] = 0, 0, 0
  end
end
