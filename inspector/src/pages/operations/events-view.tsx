/** What happens to the memories that one may see, as it happens. */

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Event, EventType } from '../../../../src/domain/event.ts';
import { isReachable } from '../../api/reachable.ts';
import { principalKey } from '../../api/session.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { useKeys } from '../../app/keyboard.ts';
import { queryListOf, queryOf, setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { entryHref } from '../../app/pages.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Chips, TextField } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { rememberCommand } from '../../components/remember-command.ts';
import { exactTime } from '../../components/time.tsx';
import { clearEvents, eventLog, followEvents, type EventLog } from './event-log.ts';
import { countText } from './figures.ts';
import { MemoryLabel } from './memory-label.tsx';

const TYPES: readonly EventType[] = ['created', 'updated', 'deleted'];
const ROWS = '.event-link';
const SHOWN = 200;
/** Only the newest say what they are about: a busy stream is not to make the service busier. */
const LABELLED = 15;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function EventsView(): VNode {
  const [turn, setTurn] = useState(0);
  const who = principalKey.value;
  const log = eventLog.value;
  const [held, setHeld] = useState<EventLog | undefined>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    void followEvents(controller.signal);
    setHeld(undefined);
    return () => controller.abort();
  }, [who, turn]);
  const togglePause = (): void => setHeld((before) => (before === undefined ? eventLog.peek() : undefined));
  useKeys('Events', [
    { keys: ['p'], help: 'Pause or go on', run: togglePause },
    { keys: ['j', 'ArrowDown'], help: 'Next event', run: () => moveFocus(ROWS, 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous event', run: () => moveFocus(ROWS, -1) },
  ]);
  const waiting = held === undefined ? 0 : log.heard - held.heard;
  return (
    <Panel
      title="Event stream"
      aside={
        <>
          <Status log={log} isPaused={held !== undefined} waiting={waiting} />
          <button type="button" class="button" aria-pressed={held !== undefined} onClick={togglePause}>
            {held === undefined ? 'Pause' : 'Go on'} <kbd aria-hidden="true">p</kbd>
          </button>
          <button
            type="button"
            class="button"
            onClick={() => {
              clearEvents();
              setHeld(undefined);
            }}
          >
            Clear
          </button>
        </>
      }
    >
      <Filters />
      {log.error !== undefined && <ErrorPanel error={log.error} onRetry={() => setTurn(turn + 1)} />}
      <EventList log={held ?? log} />
    </Panel>
  );
}

const STATUS_TEXTS = {
  connecting: 'connecting',
  live: 'live',
  cut: 'cut off, trying again',
  failed: 'stopped',
  paused: 'paused',
} as const;

interface StatusProps {
  readonly log: EventLog;
  readonly isPaused: boolean;
  readonly waiting: number;
}

function Status({ log, isPaused, waiting }: StatusProps): VNode {
  const status = isPaused ? 'paused' : log.status === 'live' && !isReachable.value ? 'cut' : log.status;
  return (
    <span class={`badge-plain stream-${status}`} role="status">
      {STATUS_TEXTS[status]}
      {isPaused && waiting > 0 && `, ${countText(waiting)} waiting`}
    </span>
  );
}

function Filters(): VNode {
  const [text, type] = useTypedQuery('memory');
  return (
    <div class="event-filters">
      <Chips
        label="Only"
        options={TYPES}
        chosen={queryListOf('types')}
        classOf={(option) => `event-${option}`}
        onChange={(chosen) => setQuery({ types: chosen.join(',') }, { replace: true })}
      />
      <TextField label="Memory" value={text} placeholder="part of an id" onInput={type} />
    </div>
  );
}

function isWanted({ type, memoryId }: Event): boolean {
  const types = queryListOf('types');
  return (types.length === 0 || types.includes(type)) && memoryId.includes(queryOf('memory').trim());
}

function EventList({ log }: { readonly log: EventLog }): VNode {
  const wanted = log.events.filter(isWanted);
  if (wanted.length === 0) {
    return log.events.length > 0 ? (
      <p class="quiet">None of the {countText(log.events.length)} events that came is like this.</p>
    ) : (
      <EmptyState title="Listening: nothing has happened since you came" command={rememberCommand()}>
        <p>
          Whenever a memory that you may see is created, updated or deleted, it is here at once. To see one, paste this.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <ol class="events" aria-label="Events, newest first">
        {wanted.slice(0, SHOWN).map((event, at) => (
          <li key={event.id}>
            <a class="event-link" href={entryHref(event.memoryId)}>
              <time class="time numeric" dateTime={event.at} title={exactTime(event.at)}>
                {clock.format(new Date(event.at))}
              </time>
              <span class={`badge-plain event-${event.type}`}>{event.type}</span>
              <MemoryLabel
                id={event.memoryId}
                version={event.version}
                isAsked={at < LABELLED && event.type !== 'deleted'}
              />
              <span class="quiet numeric">version {event.version}</span>
            </a>
          </li>
        ))}
      </ol>
      <p class="quiet">
        {countText(log.heard)} {log.heard === 1 ? 'event' : 'events'} since you came
        {wanted.length > SHOWN && `; the newest ${SHOWN} are shown`}.
      </p>
    </>
  );
}
