-- One ask after the other, as in src/stores/memory/memory_store.cc. The requests that come most often, for token buckets
-- whose limits have not changed, are decided here, and all others by others.lua. Where a function would be called for
-- every take of a call, it is written out.
local others

-- Takes from all buckets of the takes in the program from `first` to `last`, or from none.
local function take_all(first, last)
  local passes, told, next_spent, next_since, gave, births = true, count, {}, {}, {}, {}
  for i = first, last, 3 do
    local k, l, form, pace_of, micros, at, given, born, wait = p[i], p[i + 1], SMALL, 0, 0, 0, 0, now_born, nil
    if k < 0 then
      others = others or make_others()
      micros, at, pace_of, given, born = others.known(-k)
    elseif values[k] then
      form = nil
      if #values[k] == SMALL_SIZE then
        form, pace_of, micros, at, given, born = unpack_bytes(SMALL_FORMAT, values[k])
      end
    end
    local capacity, numerator, period = p[l + 1], p[l + 2], p[l + 3]
    if form ~= SMALL or not micros or micros ~= 0 and pace_of ~= p[l + 4] then
      others = others or make_others()
      return others.decide_together(first, last, true)
    end
    replies[told + 1], wait, next_spent[i], next_since[i] = decide_own(capacity, numerator, period, p[i + 2], micros, at)
    replies[told + 2], replies[told + 3] = wait, wait_for(numerator, period, micros, at)
    replies[told + 4], gave[i], births[i] = given, (given + p[i + 2]) % GIVEN_END, born
    passes = passes and wait == 0
    told = told + 4
  end
  for i = first, last, 3 do
    local k, l, micros, at = p[i], p[i + 1], next_spent[i], next_since[i]
    if passes then
      if k > 0 then
        write_small(k, p[l + 4], micros, at, gave[i], births[i], micros / p[l + 5])
      else
        others.change(-k, l, micros, at, gave[i])
      end
      replies[count + 3], replies[count + 4] = wait_for(p[l + 2], p[l + 3], micros, at), gave[i]
    elseif replies[count + 2] == 0 then
      replies[count + 1] = replies[count + 1] + p[i + 2]
    end
    count = count + 4
  end
end

local next_ask = 2 + 6 * p[1]
while next_ask <= program_size do
  local action = p[next_ask]
  if action == TAKE_ONCE or action == TAKE_EACH then
    local l, cost, first = p[next_ask + 1], p[next_ask + 2], p[next_ask + 3]
    local capacity, numerator, period, own_pace = p[l + 1], p[l + 2], p[l + 3], p[l + 4]
    local is_once, is_plain = action == TAKE_ONCE, p[l] < LEAKY_QUEUE
    if not is_once or not is_plain then others = others or make_others() end
    for k = first, first + p[next_ask + 4] - 1 do
      local form, pace_of, micros, at, given, born = SMALL, 0, 0, 0, 0, now_born
      if not is_once then
        micros, at, pace_of, given, born = others.known(k)
      elseif values[k] then
        form = nil
        if #values[k] == SMALL_SIZE then
          form, pace_of, micros, at, given, born = unpack_bytes(SMALL_FORMAT, values[k])
        end
      end
      if is_plain and form == SMALL and micros and (micros == 0 or pace_of == own_pace) then
        local remaining, wait, next_spent, next_since = decide_own(capacity, numerator, period, cost, micros, at)
        if wait == 0 then
          given = (given + cost) % GIVEN_END
          if is_once then
            write_small(k, own_pace, next_spent, next_since, given, born, next_spent / p[l + 5])
          else
            others.change(k, l, next_spent, next_since, given)
          end
        end
        replies[count + 1], replies[count + 2] = remaining, wait
        replies[count + 3], replies[count + 4] = wait_for(numerator, period, next_spent, next_since), given
        count = count + 4
      else
        others = others or make_others()
        others.decide_alone(k, l, cost, true)
      end
    end
    next_ask = next_ask + 5
  elseif action == TAKE_ALL then
    local last = next_ask + 1 + 3 * p[next_ask + 1]
    take_all(next_ask + 2, last)
    next_ask = last + 1
  else
    others = others or make_others()
    next_ask = others.ask(next_ask)
  end
end
if others then others.write_changes() end

replies[count + 1] = now
return pack(doubles(count + 1), unpack(replies))
