/** Alarms and reminders: set and moved by tools, since a time and days are said more easily by fields than by a sentence. */

import { useState } from 'preact/hooks';
import { change } from '../commands';
import type { Timer } from '../events';
import { Form, Panel, Pick } from '../parts';
import { connection } from '../store';
import { locale, t } from '../text';

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
type Day = (typeof DAYS)[number];

/** The name of a day. The second of January 2023 was a Monday. */
function dayName(day: Day, length: 'short' | 'long'): string {
  return new Date(2023, 0, 2 + DAYS.indexOf(day)).toLocaleDateString(locale(), { weekday: length });
}

/** A number with two digits. */
function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** The part of a rule of RFC 5545 that says the time of day. */
function byTime(time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return `BYHOUR=${hour};BYMINUTE=${minute}`;
}

/** A date as fields of forms have it, in local time. */
function isoDay(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The next moment at which the clock shows this time. */
export function nextMoment(time: string, now: Date): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const at = new Date(now);
  at.setHours(hour, minute, 0, 0);
  if (at <= now) at.setDate(at.getDate() + 1);
  return `${isoDay(at)}T${time}:00`;
}

/** The rule of RFC 5545 for a time on these days. */
export function weekly(days: readonly Day[], time: string): string {
  const at = byTime(time);
  return days.length === DAYS.length ? `FREQ=DAILY;${at}` : `FREQ=WEEKLY;BYDAY=${days.join(',')};${at}`;
}

export function NewAlarm({ done }: { done: () => void }) {
  const [time, setTime] = useState('07:00');
  const [days, setDays] = useState<readonly Day[]>([]);
  const [name, setName] = useState('');
  const [told, setTold] = useState('');
  const set = async () => {
    const when = days.length === 0 ? { when: nextMoment(time, new Date()) } : { recurrence: weekly(days, time) };
    const called = name.trim() === '' ? {} : { name: name.trim() };
    const answer = await change('alarm.set', { ...when, ...called }, t('alarms.set', { time }));
    setTold(answer.told);
    if (answer.ok) {
      setName('');
      setDays([]);
    }
    done();
  };
  return (
    <Panel title={t('alarms.add')} id="alarms-add">
      <Form class="filters" submit={set}>
        <label class="field">
          <span>{t('alarms.time')}</span>
          <input type="time" required value={time} onInput={(event) => setTime(event.currentTarget.value)} />
        </label>
        <label class="field grow">
          <span>{t('timers.label')}</span>
          <input type="text" maxLength={60} value={name} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <fieldset class="days">
          <legend>{t('alarms.days')}</legend>
          {DAYS.map((day) => (
            <label key={day} class="check">
              <input
                type="checkbox"
                aria-label={dayName(day, 'long')}
                checked={days.includes(day)}
                onChange={(event) => {
                  const isOn = event.currentTarget.checked;
                  setDays(DAYS.filter((one) => (one === day ? isOn : days.includes(one))));
                }}
              />
              {dayName(day, 'short')}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('alarms.set.go')}
        </button>
      </Form>
      <p role="status">{told}</p>
    </Panel>
  );
}

const REPEATS = ['once', 'daily', 'weekly', 'monthly', 'yearly'] as const;
type Repeats = (typeof REPEATS)[number];

/** The rule of RFC 5545 by which a moment comes again. */
export function rule(repeats: Exclude<Repeats, 'once'>, date: string, time: string): string {
  const [, month = 1, day = 1] = date.split('-').map(Number);
  const at = byTime(time);
  const weekday = DAYS[(new Date(`${date}T12:00`).getDay() + 6) % 7] ?? 'MO';
  switch (repeats) {
    case 'daily':
      return `FREQ=DAILY;${at}`;
    case 'weekly':
      return `FREQ=WEEKLY;BYDAY=${weekday};${at}`;
    case 'monthly':
      return `FREQ=MONTHLY;BYMONTHDAY=${day};${at}`;
    case 'yearly':
      return `FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=${day};${at}`;
  }
}

export function NewReminder({ done }: { done: () => void }) {
  const [message, setMessage] = useState('');
  const [date, setDate] = useState(isoDay(new Date()));
  const [time, setTime] = useState('18:00');
  const [repeats, setRepeats] = useState<Repeats>('once');
  const [told, setTold] = useState('');
  const set = async () => {
    const when = repeats === 'once' ? { when: `${date}T${time}:00` } : { recurrence: rule(repeats, date, time) };
    const answer = await change('reminder.set', { message: message.trim(), ...when }, t('reminders.set', { text: message.trim() }));
    setTold(answer.told);
    if (answer.ok) setMessage('');
    done();
  };
  return (
    <Panel title={t('reminders.add')} id="reminders-add">
      <Form class="filters" submit={set}>
        <label class="field grow">
          <span>{t('reminders.of')}</span>
          <input
            type="text"
            required
            maxLength={300}
            value={message}
            autocomplete="off"
            placeholder={t('reminders.placeholder')}
            onInput={(event) => setMessage(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>{t('calendar.date')}</span>
          <input type="date" required value={date} onInput={(event) => setDate(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>{t('alarms.time')}</span>
          <input type="time" required value={time} onInput={(event) => setTime(event.currentTarget.value)} />
        </label>
        <Pick
          label={t('reminders.repeats')}
          value={repeats}
          options={REPEATS.map((one): [string, string] => [one, t(`repeats.${one}`)])}
          onChange={(one) => setRepeats(one as Repeats)}
        />
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('reminders.set.go')}
        </button>
      </Form>
      <p role="status">{told}</p>
    </Panel>
  );
}

/** Another time for an alarm or a reminder; of one that comes again the time of day alone. */
export function Move({ timer, name, done }: { timer: Timer; name: string; done: () => void }) {
  const due = new Date(timer.due_at ?? Date.now());
  const [date, setDate] = useState(isoDay(due));
  const [time, setTime] = useState(`${two(due.getHours())}:${two(due.getMinutes())}`);
  const [told, setTold] = useState('');
  const isAgain = timer.recurrence !== null;
  const move = async () => {
    const to = isAgain ? { time: `${time}:00` } : { to: `${date}T${time}:00` };
    const answer = await change(`${timer.kind}.move`, { id: timer.id, ...to }, '');
    setTold(answer.told);
    if (answer.ok) done();
  };
  return (
    <Form class="filters wide" aria-label={t('timers.move', { name })} submit={move}>
      {!isAgain && (
        <label class="field">
          <span>{t('calendar.date')}</span>
          <input type="date" required value={date} onInput={(event) => setDate(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        <span>{t('alarms.time')}</span>
        <input type="time" required value={time} onInput={(event) => setTime(event.currentTarget.value)} />
      </label>
      <button type="submit" class="main" disabled={connection.value !== 'open'}>
        {t('timers.move.go')}
      </button>
      <span role="status">{told}</span>
    </Form>
  );
}
