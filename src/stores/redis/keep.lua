-- Every bucket that was changed is written once, and in the same step Redis is told when to forget it: when it is full,
-- rounded up to a millisecond. For windows that is when what was taken has left. For buckets it is by their pace, since
-- by that a changed limit would find them still spent (law 8): exact for rates of up to 7 significant bits, and less
-- than 1/64 late for others. A bucket that is full is nothing.
for k = 1, #KEYS do
  local l = changed_under[k]
  if l then
    local state, full_at
    if annex[k] then
      state, full_at = buckets.text_of_annex(k)
    elseif spent[k] > 0 then
      local time = p[l] < FIXED_WINDOW and spent[k] / p[l + 5] or p[l + 5]
      if time > FOREVER then time = FOREVER end
      -- Beyond 2^46 us a pace knows time in units of 1024 us.
      time = time < 2 ^ 46 and time + -time % 1 or time + -time % 1024
      state, full_at = pack('<BHdd', SMALL, pace[k], spent[k], since[k]), since[k] + time
    end
    if state then
      call('SET', KEYS[k], state, 'PXAT', (full_at + -full_at % 1000) / 1000)
    elseif values[k] then
      call('DEL', KEYS[k])
    end
  end
end

return pack(doubles(count), unpack(replies))
