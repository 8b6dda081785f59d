import { computed, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get, isOperator, useToken, type Mistake } from '../api';
import type { Json } from '../events';
import { Badge, Form, Panel, Search, useReading, WithCode } from '../parts';
import { configured, connection, notify, readConfiguration } from '../store';
import { language, type Language } from '../preferences';
import german from '../strings/settings.de.json';
import { number, t, word, type TextKey } from '../text';

export interface Key {
  key: string;
  about: string;
  kind: 'whole' | 'number' | 'text' | 'file' | 'folder' | 'flag' | 'choice' | 'list';
  unit: string | null;
  min: number | null;
  max: number | null;
  choices: string[] | null;
  default: Json;
  configured: Json;
  in_force: Json;
  source: 'default' | 'file' | 'command_line';
  line: number | null;
  needs_restart: boolean;
  is_pending: boolean;
}

interface Keys {
  file: string;
  may_change: boolean;
  sections: { name: string; about: string; keys: Key[] }[];
  mistakes: Mistake[];
}

/** What is written in the fields and not saved yet, by key; null: back to the default. */
export const edits = signal<Record<string, Json>>({});
const mistakes = signal<Mistake[]>([]);
const editCount = computed(() => Object.keys(edits.value).length);

export function edit(key: string, value: Json): void {
  edits.value = { ...edits.value, [key]: value };
  mistakes.value = mistakes.value.filter((one) => one.key !== key);
}

function discard(): void {
  edits.value = {};
  mistakes.value = [];
}

const GERMAN: Record<string, string> = german;

/** What a section or a key is for: the daemon's English text, or the page's own in another language. */
function aboutOf(name: string, english: string): { text: string; language: Language } {
  const own = language.value === 'de' ? GERMAN[name] : undefined;
  return own === undefined ? { text: english, language: 'en' } : { text: own, language: 'de' };
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A value as a person reads it. */
export function shown(value: Json | undefined): string {
  if (value === null || value === undefined || value === '') return t('settings.empty');
  if (Array.isArray(value)) return value.length === 0 ? t('settings.empty') : value.map(String).join(', ');
  if (typeof value === 'boolean') return t(value ? 'settings.on' : 'settings.off');
  return typeof value === 'number' ? number(value, 9) : String(value);
}

function Field({ of, id, described, isLocked }: { of: Key; id: string; described: string; isLocked: boolean }) {
  const edited = edits.value[of.key];
  const value = edited === undefined ? of.configured : edited === null ? of.default : edited;
  const isWrong = mistakes.value.some((one) => one.key === of.key);
  const common = {
    id,
    disabled: isLocked,
    'aria-describedby': described,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
  };
  // What is again as it was is no change.
  const change = (to: Json) => {
    if (isSame(to, of.configured)) {
      const { [of.key]: _, ...rest } = edits.value;
      edits.value = rest;
      mistakes.value = mistakes.value.filter((one) => one.key !== of.key);
    } else {
      edit(of.key, to);
    }
  };
  switch (of.kind) {
    case 'flag':
      return (
        <label class="check" for={id}>
          <input {...common} type="checkbox" checked={value === true} onChange={(event) => change(event.currentTarget.checked)} />
          {t('settings.on')}
        </label>
      );
    case 'choice':
      return (
        <select {...common} value={String(value)} onChange={(event) => change(event.currentTarget.value)}>
          {(of.choices ?? []).map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      );
    case 'whole':
    case 'number':
      return (
        <input
          {...common}
          type="number"
          required
          min={of.min ?? undefined}
          max={of.max ?? undefined}
          step={of.kind === 'whole' ? 1 : 'any'}
          value={typeof value === 'number' ? value : ''}
          onChange={(event) => {
            const to = event.currentTarget.valueAsNumber;
            change(Number.isNaN(to) ? '' : to);
          }}
        />
      );
    case 'list':
      return (
        <textarea
          {...common}
          rows={Math.min(6, Math.max(2, Array.isArray(value) ? value.length + 1 : 2))}
          spellcheck={false}
          value={Array.isArray(value) ? value.join('\n') : ''}
          onChange={(event) => {
            const lines = event.currentTarget.value.split('\n').map((line) => line.trim());
            change(lines.filter((line) => line !== ''));
          }}
        />
      );
    case 'text':
    case 'file':
    case 'folder':
      return (
        <input
          {...common}
          type="text"
          spellcheck={false}
          autocomplete="off"
          value={String(value)}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
  }
}

function Row({ of, mayChange }: { of: Key; mayChange: boolean }) {
  const id = `key-${of.key.replace('.', '-')}`;
  const name = of.key.slice(of.key.indexOf('.') + 1);
  const wrong = mistakes.value.filter((one) => one.key === of.key);
  const isEdited = of.key in edits.value;
  const isSet = of.source === 'command_line';
  const facts = [
    of.min !== null && of.max !== null && t('settings.range', { min: shown(of.min), max: shown(of.max) }),
    of.unit !== null && t('settings.unit', { unit: word('unit', of.unit) }),
    of.kind === 'list' && t('settings.list'),
    t('settings.default', { value: shown(of.default) }),
    of.line !== null && t('settings.line', { line: of.line }),
    t(of.needs_restart ? 'settings.restart' : 'settings.atOnce'),
  ].filter((fact) => fact !== false);
  const isOther = !of.needs_restart && !isSame(of.configured, of.in_force);
  return (
    <li class={`key ${isEdited ? 'edited' : ''}`}>
      <div class="key-head">
        <label for={id}>
          <strong>{name}</strong>
        </label>
        {isEdited && <span class="badge open">{t('settings.edited')}</span>}
        {of.is_pending && <span class="badge open">{t('settings.pending', { value: shown(of.in_force) })}</span>}
        {isOther && <span class="badge">{t('settings.other', { value: shown(of.in_force) })}</span>}
        {isSet && <span class="badge">{t('settings.set')}</span>}
      </div>
      <p id={`${id}-about`} lang={aboutOf(of.key, of.about).language}>
        <WithCode text={aboutOf(of.key, of.about).text} />
      </p>
      <div class="key-field">
        <Field of={of} id={id} described={`${id}-about ${id}-facts ${id}-wrong`} isLocked={!mayChange || isSet} />
        {mayChange && !isSet && (of.source === 'file' || isEdited) && edits.value[of.key] !== null && (
          <button type="button" aria-label={t('settings.reset.of', { key: of.key })} onClick={() => edit(of.key, null)}>
            {t('settings.reset')}
          </button>
        )}
        {isEdited && (
          <button type="submit" class="main">
            {t('settings.save')}
          </button>
        )}
      </div>
      <p id={`${id}-facts`} class="dim small-text">
        {facts.join(' · ')}
      </p>
      <p id={`${id}-wrong`} class="bad-text" lang="en">
        {wrong.map((one) => `${one.message}. ${one.fix}`).join(' ')}
      </p>
    </li>
  );
}

function Section(props: { name: string; about: string; keys: Key[]; mayChange: boolean; isOpen: boolean }) {
  const [isOpen, setIsOpen] = useState(props.isOpen);
  useEffect(() => setIsOpen(props.isOpen), [props.isOpen]);
  return (
    <details class="panel" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <h2>[{props.name}]</h2>{' '}
        <span class="dim small-text" lang={aboutOf(props.name, props.about).language}>
          <WithCode text={aboutOf(props.name, props.about).text} />
        </span>
      </summary>
      {isOpen && (
        <ul class="plain-list keys" aria-label={t('settings.section', { name: props.name, count: props.keys.length })}>
          {props.keys.map((key) => (
            <Row key={key.key} of={key} mayChange={props.mayChange} />
          ))}
        </ul>
      )}
    </details>
  );
}

export function Unlock({ done }: { done: (told: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [answer, setAnswer] = useState('');
  const unlock = async () => {
    const value = input.current?.value.trim() ?? '';
    if (value === '') return;
    try {
      if (!(await isOperator(value))) return setAnswer(t('settings.notOperator'));
      useToken(value);
      done(t('settings.unlocked'));
    } catch (error) {
      if (error instanceof ApiFailure) setAnswer(`${error.message} ${error.fix}`);
    }
  };
  return (
    <Panel title={t('settings.locked')} id="settings-locked">
      <Form class="filters" submit={unlock}>
        <label class="field grow">
          <span>{t('settings.operator')}</span>
          <input ref={input} type="password" autocomplete="current-password" aria-describedby="settings-locked-about" required />
        </label>
        <button type="submit" class="main">
          {t('settings.unlock')}
        </button>
      </Form>
      <p role="alert" class="bad-text">
        {answer}
      </p>
      <p id="settings-locked-about" class="dim">
        <WithCode text={t('settings.locked.about', { command: tokenCommand() })} />
      </p>
    </Panel>
  );
}

/** What prints the operator's token on the machine that Hark runs on. */
function tokenCommand(): string {
  const [file, folder] = [configured('dashboard', 'operator_token_file'), configured('paths', 'state_dir')];
  if (typeof file === 'string' && file !== '') return `\`sudo cat ${file}\``;
  if (typeof folder === 'string' && folder !== '') return `\`sudo cat ${folder}/operator-token\``;
  return t('settings.locked.usual', { service: 'sudo cat /var/lib/hark/operator-token', own: 'cat ~/.local/state/hark/operator-token' });
}

function MistakeList({ title, list }: { title: string; list: Mistake[] }) {
  return (
    <section class="panel bad-edge" role="alert">
      <p class="bad-text">{title}</p>
      <ul>
        {list.map((one) => (
          <li key={`${one.key} ${one.message}`} lang="en">
            <strong>{one.key}</strong>: {one.message}. {one.fix}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Tool {
  name: string;
  about: string;
  risk: 'read' | 'write' | 'dangerous';
  permission: string;
  is_available: boolean;
  why: string;
  fix: string;
}

function Tools() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="panel" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <h2>{t('settings.tools')}</h2>
      </summary>
      {isOpen && <ToolTable />}
    </details>
  );
}

interface Server {
  name: string;
  condition: 'off' | 'starting' | 'running' | 'failed';
  message: string;
  fix: string;
  tools: { name: string; risk: Tool['risk'] }[];
  refused: string[];
  restarts: number;
}

/** Servers of other programs' tools; nothing where none is configured. */
function Servers() {
  const { value } = useReading(async () => (await get<{ servers: Server[] }>('mcp')).servers);
  if ((value?.length ?? 0) === 0) return null;
  return (
    <Panel title={t('settings.mcp')} id="mcp">
      <ul class="plain-list parts">
        {(value ?? []).map((server) => (
          <li key={server.name}>
            <strong>{server.name}</strong>
            <Badge group="server" name={server.condition} />
            <p lang="en">
              {server.message}
              {server.fix !== '' && <small class="dim"> {t('health.fix', { fix: server.fix })}</small>}
            </p>
            {server.tools.length > 0 && (
              <p>
                {server.tools.map((tool) => `${tool.name} (${t(`risk.${tool.risk}`)})`).join(', ')}
              </p>
            )}
            {server.refused.map((one) => (
              <p key={one} class="dim" lang="en">
                {t('settings.mcp.refused', { why: one })}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ToolTable() {
  const { value, failure } = useReading(async () => (await get<{ tools: Tool[] }>('tools')).tools);
  if (failure !== null) return <p class="bad-text">{failure}</p>;
  return (
    <>
      <p class="dim" id="tools-about">
        {t('settings.tools.about')}
      </p>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="tools-about">
        <table>
          <thead>
            <tr>
              {(['tool', 'tool.risk', 'tool.permission', 'tool.available', 'tool.about'] as const).map((name) => (
                <th key={name} scope="col">
                  {t(`settings.${name}` as TextKey)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(value ?? []).map((tool) => (
              <tr key={tool.name}>
                <th scope="row">{tool.name}</th>
                <td>
                  <span class={`badge ${tool.risk === 'dangerous' ? 'bad' : ''}`}>{t(`risk.${tool.risk}`)}</span>
                </td>
                <td>{tool.permission}</td>
                <td>
                  {t(tool.is_available ? 'available.yes' : 'available.no')}
                  {tool.why !== '' && (
                    <small class="words" lang="en">
                      {tool.why}
                      {tool.fix !== '' && `: ${tool.fix}`}
                    </small>
                  )}
                </td>
                <td class="words" lang="en">
                  {tool.about}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** `wanted`: what of the address behind `#/settings/` is searched for. */
export function Settings({ wanted }: { wanted: string }) {
  const [changes, setChanges] = useState(0);
  const [text, setText] = useState(wanted);
  const [onlyChanged, setOnlyChanged] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [answer, setAnswer] = useState('');
  useEffect(() => setText(wanted), [wanted]);
  const { value, failure } = useReading(() => get<Keys>('config/keys'), [changes]);
  const again = () => setChanges((before) => before + 1);
  const save = async () => {
    if (editCount.value === 0) return;
    setIsSaving(true);
    setAnswer('');
    try {
      const body = { changes: edits.value };
      const told = (await (await fetchApi('PATCH', 'config', body)).json()) as {
        file: string;
        not_applied: string | null;
      };
      discard();
      const why = told.not_applied === null ? '' : ` ${t('settings.notApplied', { why: told.not_applied })}`;
      setAnswer(`${t('settings.saved', { file: told.file })}${why}`);
      readConfiguration().catch(() => undefined);
      again();
    } catch (error) {
      if (error instanceof ApiFailure && error.mistakes.length > 0) mistakes.value = error.mistakes;
      else if (error instanceof ApiFailure) notify(error.message, error.fix);
      if (error instanceof ApiFailure && error.status === 403) again();
    } finally {
      setIsSaving(false);
    }
  };
  const words = text.toLowerCase().split(/\s+/).filter((one) => one !== '');
  const fits = (key: Key) =>
    (!onlyChanged || key.source !== 'default' || key.key in edits.value || key.is_pending) &&
    words.every((one) => `${key.key} ${key.about} ${aboutOf(key.key, '').text}`.toLowerCase().includes(one));
  const isSearched = words.length > 0 || onlyChanged;
  const sections = (value?.sections ?? [])
    .map((section) => ({ ...section, keys: section.keys.filter(fits) }))
    .filter((section) => section.keys.length > 0);
  const all = value?.sections.flatMap((section) => section.keys) ?? [];
  const shownCount = sections.reduce((sum, section) => sum + section.keys.length, 0);
  const pending = all.filter((key) => key.is_pending);
  const mayChange = value?.may_change === true && connection.value === 'open';
  return (
    <>
      <h1>{t('settings.title')}</h1>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value === null && failure === null && <p>{t('settings.reading')}</p>}
      {value !== null && (
        <>
          <p class="dim lead">
            {t('settings.file', { file: value.file })} <a href="#/setup">{t('settings.setup')}</a>
          </p>
          <div role="status">
            <p class="good-text">{answer}</p>
            {pending.length > 0 && (
              <p class="bar waits">{t('settings.waits', { keys: pending.map((key) => key.key).join(', ') })}</p>
            )}
          </div>
          {value.mistakes.length > 0 && <MistakeList title={t('settings.mistakes')} list={value.mistakes} />}
          {!value.may_change && (
            <Unlock
              done={(told) => {
                setAnswer(told);
                again();
              }}
            />
          )}
          {mistakes.value.length > 0 && (
            <MistakeList title={t('settings.refused')} list={mistakes.value} />
          )}
          <div class="filters">
            <Search label={t('settings.search')} hint={t('settings.search.hint')} value={text} onInput={setText} />
            <label class="check">
              <input type="checkbox" checked={onlyChanged} onChange={(event) => setOnlyChanged(event.currentTarget.checked)} />
              {t('settings.only')}
            </label>
          </div>
          <p class="dim" role="status">
            {t('settings.count', { shown: number(shownCount), all: number(all.length) })}
          </p>
          <Form submit={save}>
            {shownCount === 0 && <p>{t('settings.none')}</p>}
            {sections.map((section) => (
              <Section key={section.name} {...section} mayChange={mayChange} isOpen={isSearched} />
            ))}
            {/* There while it is hidden: without a button to submit by, Enter in a field would do nothing. */}
            <div class="bar save" role="group" aria-label={t('settings.changes')} hidden={editCount.value === 0}>
              <span>{t('settings.edits', { count: editCount.value })}</span>
              <span class="row">
                <button type="button" onClick={discard}>
                  {t('settings.discard')}
                </button>
                <button type="submit" class="main" disabled={!mayChange || isSaving}>
                  {t('settings.save.all')}
                </button>
              </span>
            </div>
          </Form>
          <Servers />
          <Tools />
        </>
      )}
    </>
  );
}
