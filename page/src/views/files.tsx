import { useEffect, useState } from 'preact/hooks';
import { get } from '../api';
import { look } from '../commands';
import { Lacking, Panel, Pick, useReading } from '../parts';
import { isSet } from '../store';
import { bytes, moment, t } from '../text';

interface Entry {
  kind: 'file' | 'folder' | 'link' | 'other';
  bytes?: number;
  modified?: string;
}
type Named = Entry & { name: string };
type Found = { path: string; name?: string; line?: number; text?: string } & Partial<Entry>;

interface Piece {
  path: string;
  text: string;
  bytes: number;
  next_offset?: number;
}

const href = (path: string) => `#/files/${encodeURIComponent(path)}`;

function about(entry: Partial<Entry>): string {
  const size = entry.kind === 'file' && entry.bytes !== undefined ? bytes(entry.bytes) : '';
  return [size, entry.modified === undefined ? '' : moment(entry.modified)].filter((part) => part !== '').join(' · ');
}

/** The folders above a path, up to the one that is open, with their names. */
function above(path: string, roots: string[]): [string, string][] {
  const root = roots.find((one) => path === one || path.startsWith(`${one}/`));
  if (root === undefined) return [[path, path]];
  const below = path.slice(root.length).split('/').filter((part) => part !== '');
  return [[root, root], ...below.map((name, at): [string, string] => [`${root}/${below.slice(0, at + 1).join('/')}`, name])];
}

function Way({ path, roots }: { path: string; roots: string[] }) {
  const way = above(path, roots);
  return (
    <nav class="way" aria-label={t('files.way')}>
      <ol>
        {way.map(([to, name], index) => (
          <li key={to}>
            <a href={href(to)} aria-current={index === way.length - 1 ? 'location' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Folder({ path }: { path: string }) {
  const { value, failure } = useReading(
    () => look<{ entries: Named[]; count: number; truncated: boolean }>('filesystem.list', { path, limit: 1000 }),
    [path],
  );
  if (failure !== null) return <Lacking why={failure} />;
  if (value === null) return null;
  const sorted = value.entries.toSorted((a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || a.name.localeCompare(b.name));
  return (
    <>
      <p role="status">{t(value.count === 0 ? 'files.empty' : 'files.count', { count: value.count })}</p>
      <ul class="plain-list panel">
        {sorted.map((entry) => (
          <li key={entry.name} class="fact">
            <div>
              <a href={href(`${path}/${entry.name}`)}>{entry.name}</a> <span class="dim small-text">{t(`files.kind.${entry.kind}`)}</span>
              <p class="dim small-text">{about(entry)}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Text({ path }: { path: string }) {
  const [pieces, setPieces] = useState<Piece[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const last = pieces.at(-1);
  const more = async (offset: number) => {
    try {
      const piece = await look<Piece>('filesystem.read', { path, offset });
      setPieces((before) => (offset === 0 ? [piece] : [...before, piece]));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  useEffect(() => void more(0), [path]);
  return (
    <>
      <Lacking why={failure} />
      {pieces.length > 0 && (
        <pre class="panel" tabIndex={0} aria-label={path}>
          {pieces.map((piece) => piece.text).join('')}
        </pre>
      )}
      {last?.next_offset !== undefined && (
        <button type="button" onClick={() => void more(last.next_offset ?? 0)}>
          {t('files.more', { shown: bytes(last.next_offset), all: bytes(last.bytes) })}
        </button>
      )}
    </>
  );
}

function One({ path, roots }: { path: string; roots: string[] }) {
  const { value, failure } = useReading(() => look<Entry & { path: string }>('filesystem.info', { path }), [path]);
  const name = path.split('/').at(-1) ?? path;
  return (
    <>
      <Way path={path} roots={roots} />
      <Lacking why={failure} />
      {value?.kind === 'folder' && <Folder path={path} />}
      {value !== null && value.kind !== 'folder' && (
        <>
          <h2>{name}</h2>
          <p class="dim">{about(value)}</p>
          <Text key={path} path={path} />
        </>
      )}
    </>
  );
}

function Find({ path }: { path: string }) {
  const [by, setBy] = useState('name');
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<{ by: string; text: string } | null>(null);
  const { value, failure } = useReading(async () => {
    if (asked === null) return null;
    const where = path === '' ? {} : { path };
    const [tool, args] = asked.by === 'name' ? ['search.files', { pattern: asked.text }] : ['search.contents', { words: asked.text }];
    return await look<{ files: Found[]; count: number; truncated: boolean }>(tool, { ...args, ...where });
  }, [asked]);
  return (
    <Panel title={t('files.find')} id="files-find">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked({ by, text: text.trim() });
        }}
      >
        <Pick
          label={t('files.by')}
          value={by}
          options={[
            ['name', t('files.by.name')],
            ['words', t('files.by.words')],
          ]}
          onChange={setBy}
        />
        <label class="field grow">
          <span>{t(path === '' ? 'files.what' : 'files.what.below')}</span>
          <input type="search" required maxLength={200} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main">
          {t('files.find.go')}
        </button>
      </form>
      <Lacking why={failure} />
      <p role="status">
        {value !== null && failure === null && t(value.count === 0 ? 'files.nothing' : value.truncated ? 'files.some' : 'files.found', { count: value.files.length })}
      </p>
      {value !== null && failure === null && value.files.length > 0 && (
        <ul class="plain-list">
          {value.files.map((file) => (
            <li key={file.path} class="fact">
              <div>
                <a href={href(file.path)}>{file.path}</a>
                <p class="dim small-text">
                  {file.text === undefined ? about(file) : t('files.line', { line: file.line ?? 0, text: file.text })}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** `wanted`: the path behind `#/files/`; without one the folders that are open. */
export function Files({ wanted }: { wanted: string }) {
  const { value, failure } = useReading(async () => {
    const { config } = await get<{ config: { tools?: { file_roots?: string[]; file_write_roots?: string[] } } }>('config');
    const roots = [...new Set([...(config.tools?.file_roots ?? []), ...(config.tools?.file_write_roots ?? [])])];
    // Without any, the tool says what to do about it.
    if (roots.length === 0) await look('filesystem.list');
    return roots.map((root) => (root.length > 1 ? root.replace(/\/+$/, '') : root));
  });
  return (
    <>
      <h1>{t('files.title')}</h1>
      <p class="dim lead">{t('files.about')}</p>
      <Lacking why={failure} part={{ text: 'lacking.files', keys: 'tools.file_roots', isChosen: isSet('tools', 'file_roots', 'file_write_roots') }} />
      {value !== null && value.length > 0 && (
        <>
          <Find path={wanted} key={wanted} />
          {wanted !== '' && <One path={wanted} roots={value} />}
          {wanted === '' && (
            <ul class="plain-list panel">
              {value.map((root) => (
                <li key={root} class="fact">
                  <a href={href(root)}>{root}</a>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}
