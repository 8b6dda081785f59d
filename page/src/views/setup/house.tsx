import { useState } from 'preact/hooks';
import { fetchApi } from '../../api';
import { byCommas, Pick } from '../../parts';
import { number, t } from '../../text';
import { Doing, Failed, Options, post, useWork, writeKeys, type StepProps } from './parts';

interface Found {
  services: { name: string; url: string }[];
  not_asked: number;
}

interface Connected {
  told: string;
  trouble: string | null;
}

/** Looks around for something, and puts the address of what was found into a field. */
function Search(props: { service: 'home_assistant' | 'mqtt_broker' | 'language_model'; use: (url: string) => void }) {
  const [found, setFound] = useState<Found | null>(null);
  const { isBusy, failed, work } = useWork();
  const look = (everywhere: boolean) =>
    work(async () => setFound(await post<Found>('search', { service: props.service, everywhere })));
  return (
    <div class="found">
      <div class="row wrap">
        <button type="button" disabled={isBusy} onClick={() => look(false)}>
          {t('setup.search')}
        </button>
        {found !== null && found.not_asked > 0 && (
          <button type="button" disabled={isBusy} onClick={() => look(true)}>
            {t('setup.search.everywhere', { count: number(found.not_asked) })}
          </button>
        )}
        <span role="status">
          {isBusy ? t('setup.looking') : found?.services.length === 0 ? t('setup.search.nothing') : ''}
        </span>
      </div>
      <Failed of={failed} />
      {(found?.services.length ?? 0) > 0 && (
        <ul class="plain-list chips" aria-label={t('setup.search.found')}>
          {found?.services.map((one) => (
            <li key={one.url}>
              <button type="button" onClick={() => props.use(one.url)}>
                {one.name === '' ? one.url : `${one.name} (${one.url})`}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Text(props: { label: string; value: string; onInput: (value: string) => void; isSecret?: boolean; hint?: string; needed?: boolean }) {
  const common = {
    value: props.value,
    placeholder: props.hint ?? '',
    required: props.needed === true,
    spellcheck: false,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => props.onInput(event.currentTarget.value),
  } as const;
  return (
    <label class="field">
      <span>{props.label}</span>
      {props.isSecret === true ? <input type="password" {...common} /> : <input type="text" {...common} />}
    </label>
  );
}

export function HomeAssistantStep({ of, again, done }: StepProps) {
  const before = String(of('homeassistant.url') ?? '');
  const [url, setUrl] = useState(before);
  const [token, setToken] = useState('');
  const { isBusy, failed, work } = useWork();
  const hasToken = url === before && String(of('homeassistant.token_file') ?? '') !== '';
  const connect = async (keep: boolean) => {
    const answer = await post<Connected>('home-assistant', { url, token, keep });
    setToken('');
    again();
    done(answer.trouble === null ? answer.told : t('setup.kept', { url }));
  };
  const none = async () => {
    if (!(await writeKeys({ 'homeassistant.url': '' }))) return;
    setUrl('');
    again();
    done(t('setup.none'));
  };
  return (
    <>
      <Search service="home_assistant" use={setUrl} />
      <Doing
        go={t('setup.connect')}
        isBusy={isBusy}
        act={() => work(() => connect(false))}
        more={
          <button type="button" disabled={isBusy} onClick={() => work(none)}>
            {t('setup.home.none')}
          </button>
        }
      >
        <Text label={t('setup.address')} value={url} onInput={setUrl} hint="http://homeassistant.local:8123" needed />
        <p class="dim">{t('setup.home.token.how')}</p>
        <Text
          label={t(hasToken ? 'setup.home.token.there' : 'setup.home.token')}
          isSecret
          value={token}
          onInput={setToken}
          needed={!hasToken}
        />
      </Doing>
      <p role="status">{isBusy && t('setup.trying')}</p>
      <Failed of={failed} />
      {failed !== null && (
        <button type="button" onClick={() => work(() => connect(true))}>
          {t('setup.keep')}
        </button>
      )}
    </>
  );
}

export function BrokerStep({ of, again, done }: StepProps) {
  const before = String(of('mqtt.url') ?? '');
  const [kind, setKind] = useState(before !== '' ? 'other' : String(of('mqtt.broker') ?? 'embedded'));
  const [url, setUrl] = useState(before);
  const [username, setUsername] = useState(String(of('mqtt.username') ?? ''));
  const [password, setPassword] = useState('');
  const { isBusy, failed, work } = useWork();
  const act = async (keep: boolean) => {
    if (kind === 'other') {
      const answer = await post<Connected>('broker', { url, username, password, keep });
      setPassword('');
      again();
      return done(answer.trouble === null ? answer.told : t('setup.kept', { url }));
    }
    if (!(await writeKeys({ 'mqtt.url': '', 'mqtt.broker': kind }))) return;
    again();
    done(t(kind === 'none' ? 'setup.broker.none' : 'setup.broker.own'));
  };
  return (
    <>
      <Doing go={t(kind === 'other' ? 'setup.connect' : 'setup.take')} isBusy={isBusy} act={() => work(() => act(false))}>
        <Options
          legend={t('setup.broker.which')}
          value={kind}
          onChange={setKind}
          options={[
            { value: 'embedded', label: t('setup.broker.own') },
            { value: 'other', label: t('setup.broker.other') },
            { value: 'none', label: t('setup.broker.none') },
          ]}
        />
        {kind === 'other' && (
          <>
            <Search service="mqtt_broker" use={setUrl} />
            <Text label={t('setup.address')} value={url} onInput={setUrl} hint="mqtt://192.168.1.5:1883" needed />
            <Text label={t('setup.broker.user')} value={username} onInput={setUsername} />
            <Text label={t('setup.broker.password')} isSecret value={password} onInput={setPassword} />
          </>
        )}
      </Doing>
      <p role="status">{isBusy && t('setup.trying')}</p>
      <Failed of={failed} />
      {failed !== null && kind === 'other' && (
        <button type="button" onClick={() => work(() => act(true))}>
          {t('setup.keep')}
        </button>
      )}
    </>
  );
}

export function RoomsStep({ choices, of, again, done }: StepProps) {
  const before = String(of('home.area') ?? '');
  const [names, setNames] = useState('');
  const [here, setHere] = useState<string | null>(null);
  const { isBusy, failed, work } = useWork();
  const known = choices.rooms.find((one) => one.name === before || one.id === before);
  const area = here ?? known?.name ?? '';
  const add = async () => {
    const added = byCommas(names);
    if (added.length === 0) return;
    await fetchApi('POST', 'setup/rooms', { names: added });
    setNames('');
    again();
    done(t('setup.rooms.added', { names: added.join(', ') }));
  };
  const stand = async () => {
    if (!(await writeKeys({ 'home.area': area }))) return;
    again();
    done(t('setup.rooms.done', { count: number(choices.rooms.length), here: area === '' ? t('setup.rooms.nowhere') : area }));
  };
  return (
    <>
      {choices.rooms.length > 0 && <p>{t('setup.rooms.known', { rooms: choices.rooms.map((one) => one.name).join(', ') })}</p>}
      <Doing go={t('setup.rooms.add')} isBusy={isBusy} act={() => work(add)}>
        <Text
          label={t(choices.rooms.length > 0 ? 'setup.rooms.more' : 'setup.rooms.names')}
          value={names}
          onInput={setNames}
          hint={t('setup.rooms.hint')}
          needed
        />
      </Doing>
      <Failed of={failed} />
      {choices.rooms.length > 0 && (
        <Doing go={t('setup.take')} isBusy={isBusy} act={() => work(stand)}>
          <Pick
            label={t('setup.rooms.here')}
            value={area}
            onChange={setHere}
            options={[['', t('setup.rooms.nowhere')], ...choices.rooms.map((one): [string, string] => [one.name, one.name])]}
          />
        </Doing>
      )}
    </>
  );
}

interface Models {
  provider: string;
  models: { name: string; size_bytes: number | null }[];
}

export function ModelStep({ of, again, done }: StepProps) {
  const [url, setUrl] = useState(String(of('llm.url') ?? ''));
  const [found, setFound] = useState<Models | null>(null);
  const [model, setModel] = useState(String(of('llm.model') ?? ''));
  const { isBusy, failed, work } = useWork();
  const [unwell, setUnwell] = useState('');
  const ask = async () => {
    setFound(null);
    const answer = await post<Models>('models', { url });
    setFound(answer);
    const first = answer.models[0]?.name ?? '';
    if (!answer.models.some((one) => one.name === model)) setModel(first);
  };
  const take = async () => {
    const answer = await post<Connected>('model', { url, provider: found?.provider ?? '', model });
    again();
    setUnwell(answer.trouble ?? '');
    done(answer.told === '' ? model : answer.told);
  };
  const none = async () => {
    const isEmbedded = of('llm.provider') === 'embedded';
    if (!(await writeKeys({ 'llm.url': '', ...(isEmbedded ? { 'llm.provider': 'ollama' } : {}) }))) return;
    setUrl('');
    setFound(null);
    again();
    done(t('setup.none'));
  };
  return (
    <>
      <Search service="language_model" use={setUrl} />
      <Doing
        go={t('setup.model.ask')}
        isBusy={isBusy}
        act={() => work(ask)}
        more={
          <button type="button" disabled={isBusy} onClick={() => work(none)}>
            {t('setup.model.none')}
          </button>
        }
      >
        <Text label={t('setup.address')} value={url} onInput={setUrl} hint="http://127.0.0.1:11434" needed />
      </Doing>
      <p role="status">{isBusy && t('setup.trying')}</p>
      <Failed of={failed} />
      {found !== null && found.models.length === 0 && <p class="bad-text">{t('setup.model.empty')}</p>}
      {found !== null && found.models.length > 0 && (
        <Doing go={t('setup.take')} isBusy={isBusy} act={() => work(take)}>
          <Pick
            label={t('setup.model.which')}
            value={model}
            onChange={setModel}
            options={found.models.map((one): [string, string] => [
              one.name,
              one.size_bytes === null ? one.name : `${one.name} (${number(one.size_bytes / 1e9, 1)} GB)`,
            ])}
          />
        </Doing>
      )}
      <p role="alert" class="bad-text" lang="en">
        {unwell}
      </p>
    </>
  );
}
