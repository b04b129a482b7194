/**
 * The scripts that change one value. A value is a hash: j its JSON, v its version, c and u when it was created and updated,
 * e when it expires ('' for never), a how often it was read, l when last ('' for never), k for how long it is kept beyond
 * its time, d how much of a part was added to it. Times are milliseconds. JSON is never parsed here: Lua knows no difference between an empty list and an empty
 * object, and no large numbers.
 */

import { redisScript } from './redis-script.ts';

/** The value under KEYS[1] as it stands at the time in ARGV[1]; v is false where there is none, or none any more. */
const HELD = `
  local now = tonumber(ARGV[1])
  local v, c, e, a, l, k = unpack(redis.call('HMGET', KEYS[1], 'v', 'c', 'e', 'a', 'l', 'k'))
  if v and e ~= '' and tonumber(e) <= now then v = false end`;

/** For how long Redis holds it: also what is kept beyond its time. At least a moment, because at 0 it would be removed here. */
const LIVES_FOR = `
  local function lives_for(expires, kept)
    return string.format('%.0f', math.max(1, math.ceil(tonumber(expires) - now + tonumber(kept))))
  end`;

/**
 * KEYS: the value, the keys of its namespace, the namespaces, the last version. ARGV: now; the version that must stand
 * there, '' for any; when it expires, '' for never, 'same' as it is; the key; the namespace.
 *
 * Versions are even: odd ones are the database's where it stands in. They begin with the time, so that a Redis that has
 * lost everything does not give the same ones again.
 */
const STORE = `${HELD}${LIVES_FOR}
  if ARGV[2] ~= '' and ARGV[2] ~= (v or '0') then return { 'conflict', v or '0' } end
  local function store(json)
    local expires = ARGV[3]
    if expires == 'same' then expires = v and e or '' end
    if not v then c, a, l, k = ARGV[1], '0', '', '0' end
    redis.call('SET', KEYS[4], string.format('%.0f', math.floor(now) * 2), 'NX')
    local version = string.format('%.0f', redis.call('INCRBY', KEYS[4], 2))
    redis.call('HSET', KEYS[1],
      'j', json, 'v', version, 'c', c, 'u', ARGV[1], 'e', expires, 'a', a, 'l', l, 'k', k)
    if expires == '' then redis.call('PERSIST', KEYS[1])
    else redis.call('PEXPIRE', KEYS[1], lives_for(expires, k)) end
    redis.call('ZADD', KEYS[2], 0, ARGV[4])
    local is_new = redis.call('ZADD', KEYS[3], 0, ARGV[5])
    return { version, c, ARGV[1], expires, a, l, is_new }
  end`;

/** ARGV[6] is the value. Answers with version, times and accesses, and whether the namespace is new; or with a conflict. */
export const PUT_VALUE = redisScript(`${STORE}
  return store(ARGV[6])`);

/**
 * ARGV[6] are items of a list, as they stand between its brackets, and ARGV[7] how many bytes the value may have. Answers
 * as the other one, with the value at the end; or 'other' where no list stands there, or it would become too large.
 */
export const APPEND_VALUE = redisScript(`${STORE}
  local json = v and redis.call('HGET', KEYS[1], 'j') or '[]'
  if string.sub(json, 1, 1) ~= '[' then return { 'other' } end
  if json == '[]' then json = '[' .. ARGV[6] .. ']'
  elseif ARGV[6] ~= '' then json = string.sub(json, 1, -2) .. ',' .. ARGV[6] .. ']' end
  if #json > tonumber(ARGV[7]) then return { 'other' } end
  local stamp = store(json)
  stamp[8] = json
  return stamp`);

/** KEYS: the value, the keys of its namespace, the namespaces. ARGV[4] is the key and ARGV[5] the namespace, as above. */
const REMOVE = `
  local function remove()
    redis.call('DEL', KEYS[1])
    redis.call('ZREM', KEYS[2], ARGV[4])
    if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[3], ARGV[5]) end
  end`;

/** ARGV[2] is the version that must stand there. Answers 1 or 0, or with the version that does. What is kept goes too. */
export const REMOVE_VALUE = redisScript(`${HELD}${REMOVE}
  if v and ARGV[2] ~= '' and ARGV[2] ~= v then return v end
  remove()
  return v and 1 or 0`);

/** Removes it when its time is over and it is not kept beyond. */
export const DROP_VALUE = redisScript(`${HELD}${REMOVE}
  if not v and e and e ~= '' and tonumber(e) + tonumber(k) <= now then remove() end`);

/** Removes it unless it was written after ARGV[2]. */
export const REMOVE_OLDER_VALUE = redisScript(`${HELD}${REMOVE}
  local u = redis.call('HGET', KEYS[1], 'u')
  if u and tonumber(u) <= tonumber(ARGV[2]) then remove() end`);

/** Counts an access. From ARGV[2] of them on ('' for never) it is kept ARGV[3] beyond its time. */
export const TOUCH_VALUE = redisScript(`${HELD}${LIVES_FOR}
  if not v then return end
  local count = redis.call('HINCRBY', KEYS[1], 'a', 1)
  redis.call('HSET', KEYS[1], 'l', ARGV[1])
  if ARGV[2] == '' or count < tonumber(ARGV[2]) then return end
  redis.call('HSET', KEYS[1], 'k', ARGV[3])
  if e ~= '' then redis.call('PEXPIRE', KEYS[1], lives_for(e, ARGV[3])) end`);

/**
 * Puts a value of the database here unless it is here already, or a newer one, as if it had been written here. KEYS as for a write,
 * and the one under which ARGV[2] must stand, of who is moving: whoever was stopped must not put back what is gone since.
 * ARGV: now; who; when it expires; key; namespace; value; when created, updated, how often and when last accessed; the
 * version there, as it is shown; how long it is kept beyond its time. Of what was combined with a value of here also: the
 * version that this one had, '0' for none, and how much of the part it has; else ''. Answers 1 when that was so, 2 when
 * another version stands here.
 */
export const MOVE_VALUE = redisScript(`${HELD}${LIVES_FOR}
  if redis.call('GET', KEYS[5]) ~= ARGV[2] then return 0 end
  local u = v and redis.call('HGET', KEYS[1], 'u')
  if ARGV[13] ~= '' then
    if ARGV[13] ~= (v or '0') then return 2 end
  elseif u and (tonumber(u) > tonumber(ARGV[8])
    or tonumber(u) == tonumber(ARGV[8]) and redis.call('HGET', KEYS[1], 'j') == ARGV[6]) then return 1 end
  if not v then c, a, l, k = ARGV[7], '0', '', '0' end
  k = string.format('%.0f', math.max(tonumber(k), tonumber(ARGV[12])))
  local last = math.max(tonumber(redis.call('GET', KEYS[4]) or '0'), math.floor(now) * 2, tonumber(ARGV[11]) + 1)
  local version = string.format('%.0f', last + 2)
  redis.call('SET', KEYS[4], version)
  if ARGV[10] ~= '' and (l == '' or tonumber(l) < tonumber(ARGV[10])) then l = ARGV[10] end
  redis.call('HSET', KEYS[1], 'j', ARGV[6], 'v', version, 'c', c, 'u', ARGV[8], 'e', ARGV[3],
    'a', string.format('%.0f', tonumber(a) + tonumber(ARGV[9])), 'l', l, 'k', k)
  if ARGV[14] ~= '' then redis.call('HSET', KEYS[1], 'd', ARGV[14]) end
  if ARGV[3] == '' then redis.call('PERSIST', KEYS[1])
  else redis.call('PEXPIRE', KEYS[1], lives_for(ARGV[3], k)) end
  redis.call('ZADD', KEYS[2], 0, ARGV[4])
  redis.call('ZADD', KEYS[3], 0, ARGV[5])
  return 1`);

/**
 * Puts a value of elsewhere here as it is, unless one is here, or its time is over. KEYS: the value, the keys of its
 * namespace, the namespaces. ARGV: now; how long it is kept beyond its time; when it expires; key; namespace; value;
 * version; when created, updated, how often and when last accessed.
 */
export const ADD_VALUE = redisScript(`${HELD}${LIVES_FOR}
  if v then return end
  if ARGV[3] ~= '' and tonumber(ARGV[3]) + tonumber(ARGV[2]) <= now then return end
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'j', ARGV[6], 'v', ARGV[7], 'c', ARGV[8], 'u', ARGV[9], 'e', ARGV[3],
    'a', ARGV[10], 'l', ARGV[11], 'k', ARGV[2])
  if ARGV[3] ~= '' then redis.call('PEXPIRE', KEYS[1], lives_for(ARGV[3], ARGV[2])) end
  redis.call('ZADD', KEYS[2], 0, ARGV[4])
  redis.call('ZADD', KEYS[3], 0, ARGV[5])`);

/** KEYS: the last version. ARGV: now; the version that the next ones are to be higher than. They stay even. */
export const ADVANCE_VERSIONS = redisScript(`
  local last = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), math.floor(tonumber(ARGV[1])) * 2,
    math.ceil(tonumber(ARGV[2]) / 2) * 2)
  redis.call('SET', KEYS[1], string.format('%.0f', last))`);
