import { memo } from './memo';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { fetchApi, get } from '../api';
import { ask, control, phrase } from '../commands';
import type { Area, Entity, Floor } from '../events';
import { byCommas, FieldList, Form, Icon, isIcon, Pick, Search, tellFailure, useReading, useTick } from '../parts';
import { connection, provedStates } from '../store';
import { number, t, word, type TextKey } from '../text';

interface Read {
  entities: Entity[];
  areas: Area[];
  floors: Floor[];
}

const READ_AGAIN_MS = 10_000;
const ACTIVE = ['on', 'open', 'opening', 'unlocked', 'playing', 'cleaning', 'mowing', 'heat', 'cool', 'heat_cool', 'auto'];

async function read(): Promise<Read> {
  const found = await get<Read>('entities');
  provedStates.value = {};
  return found;
}

const OPENINGS = ['door', 'garage_door', 'opening', 'window'];

/** A contact that is on is open, and a detector has found something. */
function stateWord(entity: Entity, state: string): string {
  if (entity.domain === 'binary_sensor' && entity.device_class !== null && (state === 'on' || state === 'off')) {
    const isOn = state === 'on';
    if (OPENINGS.includes(entity.device_class)) return t(isOn ? 'state.open' : 'state.closed');
    return t(isOn ? 'state.detected' : 'state.clear');
  }
  return word('state', state);
}

/** What the row shows of the state. */
function shownState(entity: Entity, state: string): string {
  const unit = entity.attributes['unit_of_measurement'];
  if (typeof unit === 'string') return `${state} ${unit}`;
  if (entity.domain === 'scene') return '';
  const parts = [stateWord(entity, state)];
  const { brightness, current_position: position, current_temperature: measured, temperature } = entity.attributes;
  if (entity.domain === 'light' && state === 'on' && typeof brightness === 'number') {
    parts.push(`${Math.round(brightness / 2.55)} %`);
  }
  if (typeof position === 'number' && position > 0 && position < 100) parts.push(`${position} %`);
  if (typeof measured === 'number') parts.push(`${number(measured, 1)} °`);
  if (typeof temperature === 'number') parts.push(`→ ${number(temperature, 1)} °`);
  return parts.join(', ');
}

interface RowProps {
  entity: Entity;
  /** Its place, where another thing has the same name. */
  place: string | null;
  state: string;
  isConnected: boolean;
  done: () => void;
}

function Value(props: { label: string; unit: string; min: number; max: number; step: number; value: number; isDisabled: boolean; onSet: (value: number) => void }) {
  const [value, setValue] = useState<number | null>(null);
  return (
    <form
      class="value"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== null) props.onSet(value);
        setValue(null);
      }}
    >
      <input
        type="number"
        aria-label={props.label}
        min={props.min}
        max={props.max}
        step={props.step}
        value={value ?? props.value}
        onInput={(event) => setValue(event.currentTarget.valueAsNumber)}
      />
      <span aria-hidden="true">{props.unit}</span>
      {value !== null && !Number.isNaN(value) && value !== props.value && (
        <button type="submit" disabled={props.isDisabled}>
          {t('home.set')}
        </button>
      )}
    </form>
  );
}

/** A thing, a room or a floor. */
interface Named {
  id: string;
  name: string;
  aliases: string[];
}

/** What a thing is called, to be written into the home's file. */
function Names({ of, isDisabled, done }: { of: Named; isDisabled: boolean; done: () => void }) {
  const [name, setName] = useState(of.name);
  const [aliases, setAliases] = useState(of.aliases.join(', '));
  const [told, setTold] = useState('');
  const save = async () => {
    const others = byCommas(aliases);
    try {
      await fetchApi('PATCH', 'names', { id: of.id, name: name.trim(), aliases: others });
      setTold(t('home.names.saved'));
      done();
    } catch (error) {
      setTold('');
      tellFailure(error);
    }
  };
  return (
    <Form class="filters" submit={save}>
      <label class="field">
        <span>{t('home.names.name', { id: of.id })}</span>
        <input type="text" required maxLength={100} value={name} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field grow">
        <span>{t('home.names.aliases', { id: of.id })}</span>
        <input type="text" maxLength={1000} value={aliases} autocomplete="off" onInput={(event) => setAliases(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={isDisabled}>
        {t('home.names.save')}
      </button>
      <span role="status">{told}</span>
    </Form>
  );
}

const Row = memo(function Row({ entity, place, state, isConnected, done }: RowProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const current = state === entity.state ? entity : { ...entity, state };
  const can = control(current);
  const isBusy = asked !== null;

  const act = async (request: string) => {
    setAsked(request);
    setAnswer(null);
    const turn = await ask(request);
    setAsked(null);
    setAnswer(turn ? turn.reply : t('home.failed'));
    done();
  };
  const modes = entity.attributes['supported_color_modes'];
  const canDim =
    entity.domain === 'light' && state === 'on' && Array.isArray(modes) && modes.some((mode) => mode !== 'onoff');
  const brightness = entity.attributes['brightness'];
  const temperature = entity.attributes['temperature'];
  const items = entity.attributes['items'];
  return (
    <li class={`thing ${ACTIVE.includes(state) ? 'active' : ''}`}>
      <span class="glyph" aria-hidden="true">
        <Icon name={isIcon(entity.domain) ? entity.domain : 'thing'} />
      </span>
      <button
        type="button"
        class="thing-name"
        aria-expanded={isOpen}
        aria-label={t('home.details', { name: entity.name })}
        onClick={() => setIsOpen(!isOpen)}
      >
        {entity.name}
      </button>
      <span class="thing-state">{shownState(entity, state)}</span>
      <span class="thing-control">
        {can?.kind === 'switch' && (
          <button
            type="button"
            role="switch"
            class="switch"
            aria-checked={can.isOn}
            aria-label={t('home.switch', { name: entity.name })}
            disabled={isBusy || !isConnected}
            onClick={() => void act(phrase(can.isOn ? can.off : can.on, entity, place))}
          >
            <i />
          </button>
        )}
        {can?.kind === 'buttons' &&
          can.acts.map((one) => (
            <button
              key={one}
              type="button"
              aria-label={t('act.of', { act: t(`act.${one}` as TextKey), name: entity.name })}
              disabled={isBusy || !isConnected}
              onClick={() => void act(phrase(one, entity, place))}
            >
              {t(`act.${one}` as TextKey)}
            </button>
          ))}
        {entity.domain === 'climate' && typeof temperature === 'number' && (
          <Value
            label={t('home.temperature', { name: entity.name })}
            unit="°"
            min={Number(entity.attributes['min_temp'] ?? 5)}
            max={Number(entity.attributes['max_temp'] ?? 35)}
            step={1}
            value={temperature}
            isDisabled={isBusy || !isConnected}
            onSet={(value) => void act(phrase('temperature', entity, place, value))}
          />
        )}
      </span>
      {(isBusy || answer !== null) && (
        <p class="thing-answer" role="status">
          {asked !== null ? t('home.asks', { text: asked }) : answer}
        </p>
      )}
      {isOpen && (
        <div class="thing-more">
          {canDim && (
            <Value
              label={t('home.brightness', { name: entity.name })}
              unit="%"
              min={1}
              max={100}
              step={1}
              value={typeof brightness === 'number' ? Math.round(brightness / 2.55) : 100}
              isDisabled={isBusy || !isConnected}
              onSet={(value) => void act(phrase('brightness', entity, place, value))}
            />
          )}
          {Array.isArray(items) && (
            <ul>
              {items.map((item, index) => (
                <li key={index}>{typeof item === 'string' ? item : JSON.stringify(item)}</li>
              ))}
            </ul>
          )}
          <p class="dim">
            {entity.id} · {t('home.from')}: {entity.source}
            {entity.device_class && ` · ${entity.device_class}`}
          </p>
          {entity.aliases.length > 0 && (
            <p>
              {t('home.aliases')}: {entity.aliases.join(', ')}
            </p>
          )}
          <Names of={entity} isDisabled={!isConnected} done={done} />
          {Object.keys(entity.attributes).length > 0 && <FieldList fields={entity.attributes} />}
        </div>
      )}
    </li>
  );
});

/** Rooms that are not there yet, written into the home's file. */
function NewRooms({ isDisabled, done }: { isDisabled: boolean; done: () => void }) {
  const [text, setText] = useState('');
  const [told, setTold] = useState('');
  const add = async () => {
    const names = byCommas(text);
    try {
      await fetchApi('POST', 'setup/rooms', { names });
      setTold(t('setup.rooms.added', { names: names.join(', ') }));
      setText('');
      done();
    } catch (error) {
      setTold('');
      tellFailure(error);
    }
  };
  return (
    <Form class="filters" submit={add}>
      <label class="field grow">
        <span>{t('setup.rooms.more')}</span>
        <input type="text" required maxLength={500} value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={isDisabled}>
        {t('setup.rooms.add')}
      </button>
      <span role="status">{told}</span>
    </Form>
  );
}

/** Names of the rooms and floors themselves. */
function Places({ areas, floors, isDisabled, done }: { areas: Area[]; floors: Floor[]; isDisabled: boolean; done: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const floorOf = (area: Area) => floors.find((floor) => floor.id === area.floor)?.name;
  return (
    <details class="panel" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <h2>{t('home.places')}</h2>
      </summary>
      {isOpen && (
        <>
          {floors.length > 0 && <h3>{t('home.floors')}</h3>}
          {floors.map((floor) => (
            <Names key={floor.id} of={floor} isDisabled={isDisabled} done={done} />
          ))}
          <h3>{t('home.rooms')}</h3>
          {areas.map((area) => (
            <div key={area.id}>
              {floorOf(area) !== undefined && <p class="dim small-text">{t('home.onFloor', { floor: floorOf(area) ?? '' })}</p>}
              <Names of={area} isDisabled={isDisabled} done={done} />
            </div>
          ))}
          <NewRooms isDisabled={isDisabled} done={done} />
        </>
      )}
    </details>
  );
}

export function Home() {
  const [text, setText] = useState('');
  const [area, setArea] = useState('');
  const [domain, setDomain] = useState('');
  const [isActive, setIsActive] = useState(false);
  const [changes, setChanges] = useState(0);
  const tick = useTick(READ_AGAIN_MS);
  const { value, failure } = useReading(read, [changes, tick]);
  const done = useCallback(() => setChanges((before) => before + 1), []);
  const proved = provedStates.value;
  const isConnected = connection.value === 'open';

  const { places, floorOf, shared, domains } = useMemo(() => {
    const floors = new Map((value?.floors ?? []).map((one) => [one.id, one.name]));
    const entities = value?.entities ?? [];
    const counts = new Map<string, number>();
    for (const entity of entities) {
      const name = entity.name.toLowerCase();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return {
      places: new Map((value?.areas ?? []).map((one) => [one.id, one.name])),
      floorOf: new Map(
        (value?.areas ?? []).flatMap((one): [string, string][] => {
          const floor = one.floor === null ? undefined : floors.get(one.floor);
          return floor === undefined ? [] : [[one.id, floor]];
        }),
      ),
      shared: new Set([...counts].filter(([, count]) => count > 1).map(([name]) => name)),
      domains: [...new Set(entities.map((entity) => entity.domain))].sort(),
    };
  }, [value]);

  const groups = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (value?.entities ?? []).filter((entity) => {
      if (area !== '' && (entity.area ?? '-') !== area) return false;
      if (domain !== '' && entity.domain !== domain) return false;
      if (isActive && !ACTIVE.includes(proved[entity.id] ?? entity.state)) return false;
      if (words.length === 0) return true;
      const place = entity.area === null ? '' : (places.get(entity.area) ?? '');
      const all = [entity.name, entity.id, place, ...entity.aliases].join(' ').toLowerCase();
      return words.every((one) => all.includes(one));
    });
    const byArea = new Map<string, Entity[]>();
    for (const entity of found) {
      const key = entity.area !== null && places.has(entity.area) ? entity.area : '-';
      const list = byArea.get(key);
      if (list) list.push(entity);
      else byArea.set(key, [entity]);
    }
    const order = [...places.keys(), '-'];
    return { count: found.length, list: order.flatMap((id) => (byArea.has(id) ? [[id, byArea.get(id) ?? []] as const] : [])) };
  }, [value, text, area, domain, isActive, isActive ? proved : null, places]);

  return (
    <>
      <h1>{t('home.title')}</h1>
      <div class="filters">
        <Search label={t('home.search')} hint={t('home.search.hint')} value={text} onInput={setText} />
        <Pick
          label={t('home.area')}
          value={area}
          options={[['', t('home.all')], ...places.entries(), ['-', t('home.elsewhere')]]}
          onChange={setArea}
        />
        <Pick
          label={t('home.domain')}
          value={domain}
          options={[['', t('home.all')], ...domains.map((one): [string, string] => [one, word('domain', one)])]}
          onChange={setDomain}
        />
        <label class="check">
          <input type="checkbox" checked={isActive} onChange={(event) => setIsActive(event.currentTarget.checked)} />
          {t('home.active')}
        </label>
      </div>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value !== null && (
        <p class="dim" role="status">
          {value.entities.length === 0
            ? t('home.empty')
            : groups.count === 0
              ? t('home.none')
              : t('home.count', { shown: number(groups.count), all: number(value.entities.length) })}
        </p>
      )}
      <div class="areas">
        {groups.list.map(([id, list]) => (
          <section key={id} class="panel area" aria-labelledby={`area-${id}`}>
            <h2 id={`area-${id}`}>
              {places.get(id) ?? t('home.elsewhere')}
              {floorOf.has(id) && <small class="dim"> {floorOf.get(id)}</small>}
            </h2>
            <ul class="plain-list">
              {list.map((entity) => (
                <Row
                  key={entity.id}
                  entity={entity}
                  place={shared.has(entity.name.toLowerCase()) ? (places.get(entity.area ?? '') ?? null) : null}
                  state={proved[entity.id] ?? entity.state}
                  isConnected={isConnected}
                  done={done}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {value !== null && value.areas.length + value.floors.length > 0 && (
        <Places areas={value.areas} floors={value.floors} isDisabled={!isConnected} done={done} />
      )}
    </>
  );
}
