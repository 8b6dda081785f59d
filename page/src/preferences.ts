/** What a person chose on this device: language and theme. */

import { effect, signal } from '@preact/signals';
import { store, stored } from './api';

export type Language = 'en' | 'de';
export type Theme = 'system' | 'dark' | 'light';

function firstLanguage(): Language {
  const chosen = stored(() => localStorage, 'hark.language');
  if (chosen === 'en' || chosen === 'de') return chosen;
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}

function firstTheme(): Theme {
  const chosen = stored(() => localStorage, 'hark.theme');
  return chosen === 'dark' || chosen === 'light' ? chosen : 'system';
}

export const language = signal<Language>(firstLanguage());
export const theme = signal<Theme>(firstTheme());

const prefersLight = matchMedia('(prefers-color-scheme: light)');
const prefersStill = matchMedia('(prefers-reduced-motion: reduce)');
const systemIsLight = signal(prefersLight.matches);
prefersLight.addEventListener('change', (change) => (systemIsLight.value = change.matches));
export const still = signal(prefersStill.matches);
prefersStill.addEventListener('change', (change) => (still.value = change.matches));

export const isLight = signal(false);

/** Marks the document; runs again whenever a choice changes. */
export function applyPreferences(): void {
  effect(() => {
    isLight.value = theme.value === 'light' || (theme.value === 'system' && systemIsLight.value);
    document.documentElement.dataset['theme'] = isLight.value ? 'light' : 'dark';
    const bar = document.querySelector('meta[name="theme-color"]');
    bar?.setAttribute('content', isLight.value ? '#eef3e6' : '#07120b');
  });
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

export function chooseLanguage(value: Language): void {
  language.value = value;
  store(() => localStorage, 'hark.language', value);
}

export function chooseTheme(value: Theme): void {
  theme.value = value;
  store(() => localStorage, 'hark.theme', value === 'system' ? null : value);
}
