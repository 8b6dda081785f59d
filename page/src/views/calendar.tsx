import { useState } from 'preact/hooks';
import { change, look } from '../commands';
import { Form, Lacking, Panel, Pick, useReading } from '../parts';
import { connection, entries, isSet } from '../store';
import { day, t } from '../text';

interface Event {
  /** What names it at this time. */
  id: string;
  title: string;
  place?: string;
  /** Day it begins on, and the time there. */
  date: string;
  time: string;
  /** Such as `2026-12-01T10:00`. */
  ends: string;
  all_day: boolean;
  repeats: boolean;
  task: boolean;
  running: boolean;
}

interface Found {
  count: number;
  unread: number;
  events: Event[];
}

const SPANS = ['1', '7', '31'] as const;

/** A day so many days later, as `2026-12-01`. */
function later(date: string, days: number): string {
  const at = new Date(`${date}T12:00`);
  at.setDate(at.getDate() + days);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

const today = () => later(new Date().toLocaleDateString('sv-SE'), 0);

function times(event: Event): string {
  if (event.all_day) return t('calendar.all_day');
  const [date = '', time = ''] = event.ends.split('T');
  return date === event.date ? `${event.time}–${time}` : `${event.time} – ${day(date)}, ${time}`;
}

/** So many minutes after a moment of the wall clock, as `2026-12-01T10:30:00`. */
function ends(date: string, time: string, minutes: number): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const all = hour * 60 + minute + minutes;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${later(date, Math.floor(all / 1440))}T${two(Math.floor((all % 1440) / 60))}:${two(all % 60)}:00`;
}

/** How long an event takes, minutes. */
function lasts(event: Event): number {
  return Math.round((Date.parse(`${event.ends}Z`) - Date.parse(`${event.date}T${event.time}Z`)) / 60_000);
}

/** What is different about an event in a form of it, as arguments of its tool; empty where nothing is. */
function changed(event: Event, of: { title: string; date: string; time: string; minutes: string; place: string }): Record<string, unknown> {
  const isTimed = of.time !== '';
  const isMoved = of.date !== event.date || (event.all_day ? isTimed : of.time !== event.time);
  const isLonger = isTimed && Number(of.minutes) !== (event.all_day ? 60 : lasts(event));
  return {
    ...(of.title.trim() === event.title ? {} : { title: of.title.trim() }),
    ...(of.place.trim() === (event.place ?? '') ? {} : { place: of.place.trim() }),
    ...(isMoved ? { to: isTimed ? `${of.date}T${of.time}:00` : of.date } : {}),
    ...(isLonger ? { until: ends(of.date, of.time, Number(of.minutes)) } : {}),
  };
}

/** The form in which an event is changed; `done` is told what came of it. */
function Edit({ event, done }: { event: Event; done: (told: string) => void }) {
  const [of, setOf] = useState({
    title: event.title,
    date: event.date,
    time: event.all_day ? '' : event.time,
    minutes: String(event.all_day ? 60 : lasts(event)),
    place: event.place ?? '',
    series: 'one',
  });
  const bind = (name: keyof typeof of) => ({
    autocomplete: 'off' as const,
    value: of[name],
    onInput: (input: { currentTarget: HTMLInputElement }) => setOf({ ...of, [name]: input.currentTarget.value }),
  });
  const args = changed(event, of);
  const save = async () => {
    const series = event.repeats ? { series: of.series } : {};
    const answer = await change('calendar.change', { id: event.id, ...series, ...args }, t('calendar.changed', { title: of.title.trim() }));
    done(answer.told);
  };
  return (
    <form
      class="stacked opened"
      aria-label={t('calendar.change.this', { title: event.title })}
      onSubmit={(submit) => {
        submit.preventDefault();
        void save();
      }}
    >
      <div class="filters">
        <label class="field grow">
          <span>{t('calendar.title')}</span>
          <input type="text" required maxLength={200} {...bind('title')} />
        </label>
        <label class="field grow">
          <span>{t('calendar.place')}</span>
          <input type="text" maxLength={200} required={event.place !== undefined} {...bind('place')} />
        </label>
      </div>
      {!event.task && (
        <div class="filters">
          <label class="field">
            <span>{t('calendar.date')}</span>
            <input type="date" required {...bind('date')} />
          </label>
          <label class="field">
            <span>{t(event.all_day ? 'calendar.time' : 'calendar.begins')}</span>
            <input type="time" required={!event.all_day} {...bind('time')} />
          </label>
          <label class="field">
            <span>{t('calendar.minutes')}</span>
            <input type="number" min={1} max={40_320} required={of.time !== ''} disabled={of.time === ''} {...bind('minutes')} />
          </label>
        </div>
      )}
      {event.repeats && (
        <Pick
          label={t('calendar.series')}
          value={of.series}
          options={['one', 'all'].map((series) => [series, t(`calendar.series.${series}` as 'calendar.series.one')])}
          onChange={(series) => setOf({ ...of, series })}
        />
      )}
      <button type="submit" class="main" disabled={connection.value !== 'open' || Object.keys(args).length === 0}>
        {t('calendar.change.go')}
      </button>
    </form>
  );
}

/** Hark asks before an event is removed: the question stands above every view. */
function Row({ event, done }: { event: Event; done: (told: string) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const remove = async (series: 'one' | 'all') => {
    const args = { id: event.id, ...(event.repeats ? { series } : {}) };
    done((await change('calendar.remove', args, t('calendar.removed', { title: event.title }))).told);
  };
  const { title } = event;
  return (
    <li>
      <div class="fact">
        <div>
          <strong>{title}</strong> {event.running && <span class="badge good">{t('calendar.now')}</span>}{' '}
          {event.task && <span class="badge plain">{t('calendar.task')}</span>}{' '}
          {event.repeats && <span class="badge plain">{t('calendar.repeats')}</span>}
          <p class="dim small-text">{[times(event), event.place ?? ''].filter((part) => part !== '').join(' · ')}</p>
        </div>
        <div class="row wrap">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={t(isOpen ? 'calendar.close.this' : 'calendar.edit.this', { title })}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t(isOpen ? 'calendar.close' : 'calendar.edit')}
          </button>
          <button type="button" aria-label={t(event.repeats ? 'calendar.remove.one.this' : 'calendar.remove.this', { title })} onClick={() => void remove('one')}>
            {t(event.repeats ? 'calendar.remove.one' : 'calendar.remove')}
          </button>
          {event.repeats && (
            <button type="button" aria-label={t('calendar.remove.series', { title })} onClick={() => void remove('all')}>
              {t('calendar.remove.all')}
            </button>
          )}
        </div>
      </div>
      {isOpen && <Edit event={event} done={done} />}
    </li>
  );
}

function Day({ date, events, done }: { date: string; events: Event[]; done: (told: string) => void }) {
  return (
    <Panel title={day(date)} id={`day-${date}`}>
      <ul class="plain-list">
        {events.map((event) => (
          <Row key={`${event.id} ${event.title} ${event.ends} ${event.place}`} event={event} done={done} />
        ))}
      </ul>
    </Panel>
  );
}

function Add({ done }: { done: () => void }) {
  const empty = { title: '', date: today(), time: '', minutes: '60', place: '', remind: '' };
  const [of, setOf] = useState(empty);
  const [told, setTold] = useState('');
  const bind = (name: keyof typeof empty) => ({
    autocomplete: 'off' as const,
    value: of[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => setOf({ ...of, [name]: event.currentTarget.value }),
  });
  const save = async () => {
    const isTimed = of.time !== '';
    const args = {
      title: of.title.trim(),
      when: isTimed ? `${of.date}T${of.time}:00` : of.date,
      ...(isTimed ? { minutes: Number(of.minutes) } : {}),
      ...(of.place.trim() === '' ? {} : { place: of.place.trim() }),
      ...(of.remind === '' ? {} : { remind_minutes: Number(of.remind) }),
    };
    const answer = await change('calendar.create', args, t('calendar.added', { title: args.title }));
    setTold(answer.told);
    if (answer.ok) setOf({ ...empty, date: of.date });
    done();
  };
  return (
    <Panel title={t('calendar.add')} id="calendar-add">
      <Form class="stacked" submit={save}>
        <div class="filters">
          <label class="field grow">
            <span>{t('calendar.title')}</span>
            <input type="text" required maxLength={200} {...bind('title')} />
          </label>
          <label class="field grow">
            <span>{t('calendar.place')}</span>
            <input type="text" maxLength={200} {...bind('place')} />
          </label>
        </div>
        <div class="filters">
          <label class="field">
            <span>{t('calendar.date')}</span>
            <input type="date" required {...bind('date')} />
          </label>
          <label class="field">
            <span>{t('calendar.time')}</span>
            <input type="time" {...bind('time')} />
          </label>
          <label class="field">
            <span>{t('calendar.minutes')}</span>
            <input type="number" min={1} max={40_320} required={of.time !== ''} disabled={of.time === ''} {...bind('minutes')} />
          </label>
          <Pick
            label={t('calendar.remind')}
            value={of.remind}
            options={['', '0', '15', '60', '1440'].map((minutes) => [minutes, t(`calendar.remind.${minutes}` as 'calendar.remind.')])}
            onChange={(remind) => setOf({ ...of, remind })}
          />
        </div>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('calendar.save')}
        </button>
      </Form>
      <p role="status">{told}</p>
    </Panel>
  );
}

export function Calendar() {
  const [from, setFrom] = useState(today());
  const [days, setDays] = useState<string>('7');
  const [text, setText] = useState('');
  const [words, setWords] = useState('');
  const [changes, setChanges] = useState(0);
  const [news, setNews] = useState('');
  const done = (told: string) => {
    setNews(told);
    setChanges((before) => before + 1);
  };
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value, failure } = useReading(
    () => look<Found>('calendar.read', words !== '' ? { words } : { when: `${from}/${later(from, Number(days))}` }),
    [from, days, words, changes, newest],
  );
  const shown = failure === null ? value : null;
  const dates = [...new Set((shown?.events ?? []).map((event) => event.date))];
  return (
    <>
      <h1>{t('calendar.heading')}</h1>
      <p class="dim lead">{t('calendar.about')}</p>
      <Lacking why={failure} part={{ text: 'lacking.calendar', keys: 'personal.cal', isChosen: isSet('personal', 'calendar_path', 'caldav_url') }} />
      {shown !== null && (
        <>
          <Add done={() => setChanges((before) => before + 1)} />
          <form
            class="filters"
            onSubmit={(event) => {
              event.preventDefault();
              setWords(text.trim());
            }}
          >
            <label class="field">
              <span>{t('calendar.from')}</span>
              <input
                type="date"
                required
                value={from}
                disabled={words !== ''}
                onChange={(event) => event.currentTarget.value !== '' && setFrom(event.currentTarget.value)}
              />
            </label>
            <Pick
              label={t('calendar.span')}
              value={days}
              options={SPANS.map((span) => [span, t(`calendar.span.${span}`)])}
              onChange={setDays}
            />
            <label class="field grow">
              <span>{t('calendar.words')}</span>
              <input type="search" maxLength={100} value={text} onInput={(event) => setText(event.currentTarget.value)} />
            </label>
            <button type="submit">{t('calendar.search')}</button>
          </form>
          <p role="status">{t(shown.count === 0 ? 'calendar.none' : 'calendar.count', { count: shown.count })}</p>
          <p role="status">{news}</p>
          {shown.unread > 0 && <p class="bad-text">{t('calendar.unread', { count: shown.unread })}</p>}
          <div class="columns">
            {dates.map((date) => (
              <Day key={date} date={date} events={shown.events.filter((event) => event.date === date)} done={done} />
            ))}
          </div>
        </>
      )}
    </>
  );
}
