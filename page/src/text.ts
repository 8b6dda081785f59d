/** Texts of the page in the chosen language, and how numbers and times are written in it. */

import { language, type Language } from './preferences';
import de from './strings/de.json';
import en from './strings/en.json';

export type TextKey = keyof typeof en;

/** How numbers and times are written: as the browser has it for this language, such as `en-GB`. */
export function locale(): string {
  return navigator.languages.find((one) => one.toLowerCase().split('-')[0] === language.value) ?? language.value;
}

const TABLES: Record<Language, Record<TextKey, string>> = { en, de };

type Values = Record<string, string | number>;

/** The text of a key, with `{name}` replaced. */
export function t(key: TextKey, values: Values = {}): string {
  return inLanguage(language.value, key, values);
}

/** The same in a language of its own: requests are written in the one Hark speaks. */
export function inLanguage(of: Language, key: TextKey, values: Values = {}): string {
  return TABLES[of][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text of a word the daemon uses (`outcome.done` …); the word itself where there is none. */
export function word(group: string, name: string): string {
  const key = `${group}.${name}`;
  return key in TABLES.en ? t(key as TextKey) : name.replaceAll('_', ' ');
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const format = (number: number, digits: number) =>
    number.toLocaleString(locale(), { maximumFractionDigits: digits, minimumFractionDigits: digits });
  if (value > 0 && value < 0.1) return `< ${format(0.1, 1)} ms`;
  if (value >= 10_000) return `${format(value / 1000, 1)} s`;
  if (value >= 1000) return `${format(value / 1000, 2)} s`;
  return `${format(value, value < 10 ? 1 : 0)} ms`;
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString(locale(), { maximumFractionDigits: digits });
}

/** A size as people read it: `3.2 MB`. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const at = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${number(value / 1000 ** at, at === 0 || value / 1000 ** at >= 100 ? 0 : 1)} ${units[at] ?? ''}`;
}

/** `2026-12-01` as a day: `Tue, 1 Dec`; with the year where that is another one. */
export function day(date: string): string {
  const at = new Date(`${date}T12:00`);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  return at.toLocaleDateString(locale(), { weekday: 'short', day: 'numeric', month: 'short', year });
}

/** `1:05:09` or `5:09`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

const DAY_MS = 86_400_000;

/** What is left: `5:09`, and from a day on `1 d 3 h`. */
export function left(ms: number): string {
  if (ms < DAY_MS) return countdown(ms);
  return t('time.days', { days: Math.floor(ms / DAY_MS), hours: Math.floor((ms % DAY_MS) / 3_600_000) });
}

export function duration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days > 0 ? `${days} d ${countdown((seconds % 86_400) * 1000)}` : countdown(seconds * 1000);
}

export function clock(at: string): string {
  return new Date(at).toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** The time, with the day when that is another one. */
export function moment(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const time = date.toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' });
  if (isToday) return time;
  return `${date.toLocaleDateString(locale(), { weekday: 'short', day: 'numeric', month: 'short' })}, ${time}`;
}

const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** A rule of RFC 5545 in words, where it is a simple one; else as it is. */
export function recurrence(rule: string): string {
  const parts = new Map(rule.split(';').map((part) => part.split('=', 2) as [string, string]));
  const known = ['FREQ', 'BYDAY', 'BYHOUR', 'BYMINUTE', 'BYSECOND'];
  const days = parts.get('BYDAY')?.split(',') ?? [];
  const every = parts.get('FREQ');
  const isSimple =
    [...parts.keys()].every((name) => known.includes(name)) &&
    days.every((day) => DAYS.includes(day)) &&
    (every === 'DAILY' || (every === 'WEEKLY' && days.length > 0)) &&
    /^\d+$/.test(parts.get('BYHOUR') ?? '') &&
    /^\d+$/.test(parts.get('BYMINUTE') ?? '');
  if (!isSimple) return rule;
  // The first of January 2023 was a Sunday.
  const dayName = (day: string) =>
    new Date(2023, 0, 1 + DAYS.indexOf(day)).toLocaleDateString(locale(), { weekday: 'short' });
  const time = new Date(2023, 0, 1, Number(parts.get('BYHOUR')), Number(parts.get('BYMINUTE')));
  const when = time.toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' });
  if (every === 'DAILY' && days.length === 0) return t('recurrence.daily', { time: when });
  const isWorkdays = days.length === 5 && !days.includes('SA') && !days.includes('SU');
  if (isWorkdays) return t('recurrence.workdays', { time: when });
  return `${days.map(dayName).join(', ')} ${when}`;
}
