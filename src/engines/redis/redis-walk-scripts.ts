/**
 * The scripts that go through a namespace, a portion at a time, so that nobody waits for them long. What Redis has let
 * expire by itself leaves its key behind in the list of keys; it is taken out on the way.
 */

import { redisScript, type RedisScript } from './redis-script.ts';

/**
 * KEYS: the keys of the namespace, the namespaces. ARGV: now; from and to which key, as Redis takes it; how many; the
 * namespace; what the names of its values begin with; what else is needed. Answers with the last key and how many there were, so that
 * one can go on, and what `each` has put into `found`. That runs for each value: `item` names it, is_live and is_over tell
 * whether it is seen, and whether nothing keeps it beyond its time.
 */
function walk(each: string, found = '{}'): RedisScript {
  return redisScript(`
  local now = tonumber(ARGV[1])
  local keys = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
  local found = ${found}
  for _, key in ipairs(keys) do
    local item = ARGV[6] .. key
    local v, u, e, a, k = unpack(redis.call('HMGET', item, 'v', 'u', 'e', 'a', 'k'))
    local function remove()
      redis.call('DEL', item)
      redis.call('ZREM', KEYS[1], key)
    end
    if not v then remove()
    else
      local is_live = e == '' or tonumber(e) > now
      local is_over = not is_live and tonumber(e) + tonumber(k) <= now
      ${each}
    end
  end
  if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('ZREM', KEYS[2], ARGV[5]) end
  return { keys[#keys] or '', #keys, found }`);
}

const GIVE_ROW = `
  local row = redis.call('HMGET', item, 'j', 'v', 'c', 'u', 'e', 'a', 'l')
  row[8] = key
  found[#found + 1] = row`;

const COUNT = 'found[1] = found[1] + 1';

export const LIST_VALUES = walk(`if is_live then ${GIVE_ROW} end`);

/** Each with how long it is kept beyond its time. */
export const ARCHIVED_VALUES = walk(`if is_live then ${GIVE_ROW}
  row[9] = k end`);

/** What was read at least ARGV[7] times. */
export const FREQUENT_VALUES = walk(`if not is_over and tonumber(a) >= tonumber(ARGV[7]) then ${GIVE_ROW} end`);

export const MEASURE_VALUES = walk(
  `if is_live then
    ${COUNT}
    found[2] = found[2] + redis.call('HSTRLEN', item, 'j')
    found[3] = found[3] + tonumber(a)
  end`,
  '{ 0, 0, 0 }',
);

/** Counts what was seen of it. */
export const CLEAR_VALUES = walk(
  `if is_live then ${COUNT} end
   remove()`,
  '{ 0 }',
);

/** Counts what it removes; what Redis has let expire by itself is not known any more. */
export const SWEEP_VALUES = walk(
  `if is_over then
    ${COUNT}
    remove()
  end`,
  '{ 0 }',
);

/** Counts what there is, seen or not. */
export const COUNT_VALUES = walk(COUNT, '{ 0 }');

/** The same for what is removed. */
export const ERASE_VALUES = walk(
  `${COUNT}
   remove()`,
  '{ 0 }',
);

/** Removes what was not written after ARGV[7]. */
export const REMOVE_OLDER_VALUES = walk('if tonumber(u) <= tonumber(ARGV[7]) then remove() end');
