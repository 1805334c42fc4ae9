-- Decides any number of asks in the order given, each in one step, as MemoryStore::ask does. The formulas are those of
-- src/algorithms, and so are the names; docs/decisions/0014-redis-script.md says what is special here.
--
--   KEYS     the buckets, each once
--   ARGV[1]  the program: doubles. How many limits; each limit in six; then the asks, up to the end.
--            a bucket's limit   algorithm, capacity, numerator, denominator, pace, the rate that the pace stands for
--            a window's limit   algorithm, capacity, window, 0, pace, the window that the pace stands for
--            an ask             TAKE_EACH, limit, cost, the first of KEYS, how many of them: each on its own
--                               TAKE_ONCE, the same of buckets that nothing else in the program names
--                               TAKE_ALL, how many, then the takes: together, each of another token bucket; those of
--                               buckets that something else names too have -1 times which of KEYS
--                               TAKE or PEEK, how many together, how many behind them, then the takes
--                               REFUND or RESET, how many, then the takes
--                               UNDO or QUIET_UNDO, how many, then the takes, each with when it was taken behind it, and
--                               with what its bucket had given then
--            a take             which of KEYS, limit, cost; a limit is where in the program it begins
--   ARGV[2]  a channel on which buckets are told of that may be waited for less long than others know: those that were
--            refunded, undone, or reset ('reset ' before the name), or go on at a faster rate or in another window; or nothing
--
-- The reply is four doubles for each take that is not refunded, reset or undone: remaining, wait, reset_after and what the
-- bucket has given; and the time at which all was decided. The wait is the delay of a take that is allowed; of one that is
-- not, it is -1 - retry_after, and NEVER if it never can be. Where the state of a bucket cannot be read it is UNREADABLE,
-- and nothing was taken of what was asked together with it.
-- Tokens are in millionths, time is in microseconds. Numbers are integers below 2^53, so that every sum, product,
-- quotient with remainder (x - x % y) / y and comparison is exact.
local TAKE, PEEK, RESET, TAKE_EACH, TAKE_ONCE, TAKE_ALL, QUIET_UNDO, UNDO = 0, 1, 3, 4, 5, 6, 7, 8
local LEAKY_QUEUE, FIXED_WINDOW = 2, 3
local FOREVER, NEVER, UNREADABLE = 9e15, -1e16, -2e16
-- The first byte of a state: its form. A new form, or a new meaning of one, takes a new number; 1 was one.
local SMALL, SMALL_SIZE, SMALL_FORMAT = 4, 31, '<BHdddI4'
-- What a bucket has given is counted up to here, and then from 0 on.
local GIVEN_END = 2 ^ 52
local now_born = now % 2 ^ 32

local pack, unpack_bytes = struct.pack, struct.unpack

-- The format of so many doubles. string.rep takes its time for each piece, so that pieces are long.
local function doubles(many)
  local format = '<dddddddddddddddddddddddddddddddddddddddddddddddd'
  if many > 48 then format = format .. string.rep('dddddddddddddddddddddddddddddddd', many / 32) end
  return format:sub(1, many + 1)
end

local program_size = #ARGV[1] / 8
local p = {unpack_bytes(doubles(program_size), ARGV[1])}
local values = call('MGET', unpack(KEYS))
