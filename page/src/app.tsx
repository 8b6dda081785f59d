import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { token, tokenNeeded, useToken } from './api';
import { Figure, pose } from './figure';
import { Icon, type IconName } from './parts';
import { chooseLanguage, chooseTheme, language, theme, type Language, type Theme } from './preferences';
import { connect, send } from './socket';
import { captions, connection, dismiss, notices, question, refusal, ringing } from './store';
import { t, type TextKey } from './text';
import { Calendar } from './views/calendar';
import { Documents } from './views/documents';
import { Files } from './views/files';
import { Health } from './views/health';
import { Home } from './views/home';
import { Lists } from './views/lists';
import { Memory } from './views/memory';
import { Models } from './views/models';
import { Notes } from './views/notes';
import { Now } from './views/now';
import { People } from './views/people';
import { Sessions } from './views/sessions';
import { Settings } from './views/settings';
import { Setup } from './views/setup';
import { SNOOZE_MINUTES, snooze, Timers } from './views/timers';
import { Turns } from './views/turns';
import { QuestionBox } from './views/question';

const VIEWS = [
  'now',
  'turns',
  'home',
  'timers',
  'lists',
  'calendar',
  'notes',
  'memory',
  'documents',
  'files',
  'sessions',
  'people',
  'models',
  'health',
  'settings',
] as const;
/** What other views lead to. */
const ASIDE = ['setup'] as const;
type View = (typeof VIEWS)[number] | (typeof ASIDE)[number];

/** The address behind `#`: the name of a view, and what of it. */
function route(): { view: View; rest: string } {
  const [name = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  const view = [...VIEWS, ...ASIDE].find((one) => one === name) ?? 'now';
  return { view, rest: decodeURIComponent(rest.join('/')) };
}

const place = signal(route());
addEventListener('hashchange', () => {
  const before = place.value.view;
  place.value = route();
  if (before !== place.value.view) {
    scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }
});

function Navigation() {
  const nav = useRef<HTMLElement>(null);
  const { view } = place.value;
  // On a phone there is room for some of them only.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view]);
  return (
    <nav ref={nav} aria-label={t('nav')}>
      {VIEWS.map((one) => (
        <a key={one} href={`#/${one}`} aria-current={one === view ? 'page' : undefined}>
          <Icon name={one as IconName} />
          <span>{t(`nav.${one}` as TextKey)}</span>
        </a>
      ))}
    </nav>
  );
}

function Choices() {
  return (
    <div class="choices">
      <select
        aria-label={t('choose.language')}
        value={language.value}
        onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
      >
        <option value="en">English</option>
        <option value="de">Deutsch</option>
      </select>
      <select
        aria-label={t('choose.theme')}
        value={theme.value}
        onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
      >
        {(['system', 'dark', 'light'] as const).map((one) => (
          <option key={one} value={one}>
            {t(`theme.${one}`)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Status() {
  const state = connection.value;
  if (state === 'open' || tokenNeeded.value !== 'no') return null;
  const text =
    state === 'refused'
      ? `${t('connection.refused', { message: refusal.value?.message ?? '' })}. ${refusal.value?.fix ?? ''}`
      : t(`connection.${state}`);
  return <div class={`bar ${state === 'connecting' ? '' : 'bad'}`}>{text}</div>;
}

function Notices() {
  return (
    <div class="notices" role="status" aria-label={t('notices')}>
      {notices.value.map((notice) => (
        <div key={notice.id} class={`bar ${notice.isBad ? 'bad' : ''}`}>
          <span>
            {notice.text}
            {notice.fix !== '' && <small>{notice.fix}</small>}
          </span>
          <button type="button" class="plain" aria-label={t('dismiss')} onClick={() => dismiss(notice.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function Ringing() {
  if (ringing.value.length === 0) return null;
  const names = ringing.value.map((timer) => timer.name ?? t('now.ringing.timer')).join(', ');
  return (
    <div class="bar ringing" role="alert">
      <span>{t('now.ringing', { name: names })}</span>
      <span class="row">
        <button type="button" onClick={() => void snooze()}>
          {t('timers.snooze.short', { minutes: SNOOZE_MINUTES })}
        </button>
        <button type="button" onClick={() => send({ type: 'stop' })}>
          {t('now.stop')}
        </button>
      </span>
    </div>
  );
}

function TokenForm() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <main id="content" class="token" tabIndex={-1}>
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          const value = input.current?.value.trim() ?? '';
          if (value === '') return;
          useToken(value);
          void connect();
        }}
      >
        <div class="screen small">
          <Figure shown="guarding" />
        </div>
        <h1>{t('token.title')}</h1>
        <p id="token-about">{t('token.about')}</p>
        <p role="alert" class="bad-text">
          {tokenNeeded.value === 'wrong' && token.value !== null ? t('token.wrong') : ''}
        </p>
        <label class="field">
          <span>{t('token.label')}</span>
          <input ref={input} type="password" autocomplete="current-password" aria-describedby="token-about" required />
        </label>
        <button type="submit" class="main">
          {t('token.go')}
        </button>
      </form>
    </main>
  );
}

/** What is said last, for screen readers, whichever view is shown. */
function Spoken() {
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label={t('now.captions')}>
      {captions.value.map((one) => (
        <p key={one.id} lang={one.language ?? undefined}>
          {one.who === 'you' ? t('now.you') : t('name')}: {one.text}
        </p>
      ))}
    </div>
  );
}

function CurrentView() {
  const { view, rest } = place.value;
  switch (view) {
    case 'now':
      return <Now />;
    case 'turns':
      return <Turns chosen={rest} />;
    case 'home':
      return <Home />;
    case 'timers':
      return <Timers />;
    case 'lists':
      return <Lists />;
    case 'calendar':
      return <Calendar />;
    case 'notes':
      return <Notes />;
    case 'files':
      return <Files wanted={rest} />;
    case 'models':
      return <Models />;
    case 'memory':
      return <Memory />;
    case 'documents':
      return <Documents />;
    case 'sessions':
      return <Sessions chosen={rest} />;
    case 'people':
      return <People />;
    case 'health':
      return <Health />;
    case 'settings':
      return <Settings wanted={rest} />;
    case 'setup':
      return <Setup wanted={rest} />;
  }
}

export function App() {
  const { view } = place.value;
  const isLocked = tokenNeeded.value !== 'no';
  useEffect(() => {
    document.title = isLocked ? t('name') : `${t(`nav.${view}` as TextKey)} – ${t('name')}`;
  }, [view, language.value, isLocked]);
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => {
        event.preventDefault();
        document.getElementById('content')?.focus();
      }}>
        {t('skip')}
      </a>
      <header>
        <a class="brand" href="#/now" aria-label={`${t('name')}: ${t(`pose.${pose()}`)}`}>
          <Figure shown={pose()} />
          <strong>hark</strong>
        </a>
        {!isLocked && <Navigation />}
        <Choices />
      </header>
      <div role="status">
        <Status />
      </div>
      {isLocked ? (
        <TokenForm />
      ) : (
        <main id="content" tabIndex={-1} class={`view-${view}`}>
          <Ringing />
          {question.value && <QuestionBox asked={question.value} />}
          <CurrentView />
        </main>
      )}
      <Notices />
      <Spoken />
    </>
  );
}
