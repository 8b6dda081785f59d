import { useState } from 'preact/hooks';
import { fetchApi, get } from '../../api';
import { chooseLanguage } from '../../preferences';
import { isReal, useReading } from '../../parts';
import { health, heard } from '../../store';
import { number, t } from '../../text';
import { Doing, Failed, Options, post, useWork, writeKeys, type StepProps } from './parts';

const ESPEAK = 'espeak';
const NONE = 'none';

export function LanguageStep({ choices, of, again, done }: StepProps) {
  const configured = String(of('speaking.language') ?? 'en');
  const [code, setCode] = useState(configured);
  const { isBusy, work } = useWork();
  const take = async () => {
    if (!(await writeKeys({ 'speaking.language': code }))) return;
    if (code === 'en' || code === 'de') chooseLanguage(code);
    again();
    done(choices.languages.find((one) => one.code === code)?.name ?? code);
  };
  return (
    <Doing go={t('setup.take')} isBusy={isBusy} act={() => work(take)}>
      <Options
        legend={t('setup.language.which')}
        value={code}
        onChange={setCode}
        options={choices.languages.map((one) => ({ value: one.code, label: one.name }))}
      />
    </Doing>
  );
}

interface Device {
  name: string;
  description: string;
  default: boolean;
}

interface Tested {
  peak_dbfs: number | null;
  loudness: 'quiet' | 'good' | 'loud' | null;
  played: boolean;
  message: string;
  fix: string;
}

/** Speaker or microphone, by ear. */
function SoundStep(props: StepProps & { test: 'speaker' | 'microphone'; devices: 'speakers' | 'microphones'; name: string }) {
  const { test, of, again, done } = props;
  const configured = String(of(props.name) ?? 'auto');
  const [device, setDevice] = useState(configured);
  const [tested, setTested] = useState<Tested | null>(null);
  const { isBusy, failed, setFailed, work } = useWork();
  const { value, failure } = useReading(async () => ((await get<Record<string, Device[]>>('devices'))[props.devices] ?? []).filter(isReal));
  const take = async (name: string) => {
    if (!(await writeKeys({ [props.name]: name }))) return;
    setTested(null);
    again();
    done(name === NONE ? t(`setup.${test}.none`) : name);
  };
  const act = async () => {
    setTested(null);
    if (device === NONE) return await take(NONE);
    const answer = await post<Tested>('sound', { test, device });
    if (answer.message !== '' && answer.peak_dbfs === null) setFailed(answer);
    else setTested(answer);
  };
  if (failure !== null) return <p class="bad-text">{failure}</p>;
  if (value === null) return <p role="status">{t('setup.looking')}</p>;
  const usual = value.find((one) => one.default);
  const options = [
    ...(value.length === 0 ? [] : [{ value: 'auto', label: usual === undefined ? t('setup.device.usual') : t('setup.device.auto', { device: usual.description }) }]),
    ...value.map((one) => ({ value: one.name, label: one.name, about: one.description === one.name ? '' : one.description })),
    { value: NONE, label: t(`setup.${test}.none`) },
  ];
  const chosen = options.some((one) => one.value === device) ? device : (options[0]?.value ?? NONE);
  if (chosen !== device) setDevice(chosen);
  return (
    <>
      {value.length === 0 && <p>{t(`setup.${test}.missing`)}</p>}
      <Doing go={t(device === NONE ? 'setup.take' : `setup.${test}.go`)} isBusy={isBusy} act={() => work(act)}>
        <Options
          legend={t(`setup.${test}.which`)}
          value={chosen}
          options={options}
          onChange={(name) => {
            setDevice(name);
            setTested(null);
            setFailed(null);
          }}
        />
      </Doing>
      <p role="status">{isBusy && t(`setup.${test}.running`)}</p>
      <Failed of={failed} />
      {failed !== null && <p class="dim">{t('setup.device.held')}</p>}
      <div role="status">
        {tested !== null && (
          <div class="asked">
            {tested.loudness !== null && (
              <p class={tested.loudness === 'good' ? '' : 'bad-text'}>
                {t(`setup.loudness.${tested.loudness}`, { level: number(tested.peak_dbfs ?? -100) })}
              </p>
            )}
            {tested.message !== '' && (
              <p class="bad-text" lang="en">
                {tested.message}
              </p>
            )}
            {tested.loudness !== 'quiet' && (
              <div class="row wrap">
                <span>{t(tested.played ? `setup.${test}.heard` : 'setup.microphone.take')}</span>
                <button type="button" class="main" onClick={() => work(() => take(device))}>
                  {t('setup.yes')}
                </button>
                <button type="button" onClick={() => setTested(null)}>
                  {t('setup.no')}
                </button>
              </div>
            )}
          </div>
        )}
      </div>
    </>
  );
}

export function SpeakerStep(props: StepProps) {
  return <SoundStep {...props} test="speaker" devices="speakers" name="audio.output_device" />;
}

export function MicrophoneStep(props: StepProps) {
  return <SoundStep {...props} test="microphone" devices="microphones" name="audio.input_device" />;
}

export function VoiceStep({ choices, of, again, done }: StepProps) {
  const [name, setName] = useState(String(of('speaking.voice') ?? ESPEAK));
  const [told, setTold] = useState('');
  const { isBusy, failed, work } = useWork();
  const act = async () => {
    setTold('');
    if (!(await writeKeys({ 'speaking.voice': name }))) return;
    again();
    done(name === NONE ? t('setup.voice.silent') : name);
    if (name === NONE) return;
    const { spoken } = (await (await fetchApi('POST', 'say', { text: choices.sample })).json()) as { spoken: boolean };
    setTold(t(spoken ? 'setup.voice.liked' : 'setup.voice.quiet'));
  };
  const options = [
    ...choices.voices.map((one) => ({ value: one.name, label: one.name, about: one.description })),
    { value: ESPEAK, label: t('setup.voice.espeak') },
    { value: NONE, label: t('setup.voice.silent') },
  ];
  if (!options.some((one) => one.value === name)) options.unshift({ value: name, label: name });
  return (
    <>
      <Doing go={t(name === NONE ? 'setup.take' : 'setup.voice.go')} isBusy={isBusy} act={() => work(act)}>
        <Options legend={t('setup.voice.which')} value={name} options={options} onChange={setName} />
      </Doing>
      <Failed of={failed} />
      <p role="status">{told}</p>
      <p class="dim">{t('setup.voice.more')}</p>
    </>
  );
}

interface Tried {
  heard: number[];
  times: number;
  nearest: number | null;
  lower_threshold: number | null;
}

export function WakeStep({ choices, of, again, done }: StepProps) {
  const configured = of('wake.words');
  const words = Array.isArray(configured) ? configured.map(String) : [];
  const [word, setWord] = useState(words[0] ?? choices.wake_words[0]?.name ?? '');
  const [since, setSince] = useState(0);
  const [tried, setTried] = useState<Tried | null>(null);
  const { isBusy, failed, work } = useWork();
  const spoken = choices.wake_words.find((one) => one.name === word)?.spoken ?? word;
  const hasMicrophone = health.value?.parts.some((part) => part.name === 'microphone' && part.state === 'well') ?? false;
  const take = async () => {
    setTried(null);
    const isNew = words.length !== 1 || words[0] !== word;
    if (isNew && !(await writeKeys({ 'wake.words': [word] }))) return;
    if (isNew) again();
    if (!hasMicrophone) return done(t('setup.wake.untried', { word: spoken }));
    setSince(Date.now());
    const answer = await post<Tried>('wake', {});
    setTried(answer);
    if (answer.heard.length >= answer.times) done(t('setup.wake.works', { word: spoken }));
  };
  const lower = async (threshold: number) => {
    if (await writeKeys({ 'wake.threshold': threshold })) await take();
  };
  const now = heard.value.filter((one) => one.at >= since).toReversed();
  return (
    <>
      <Doing go={t(hasMicrophone ? 'setup.wake.go' : 'setup.take')} isBusy={isBusy} act={() => work(take)}>
        <Options
          legend={t('setup.wake.which')}
          value={word}
          onChange={setWord}
          options={choices.wake_words.map((one) => ({ value: one.name, label: one.spoken }))}
        />
      </Doing>
      {!hasMicrophone && <p class="dim">{t('setup.wake.noMicrophone')}</p>}
      <div role="status">
        {isBusy && <p class="big">{t('setup.wake.say', { word: spoken })}</p>}
        {(isBusy || tried !== null) && (
          <ul class="plain-list">
            {now.map((one) => (
              <li key={one.at} class={one.why === null ? 'good-text' : 'dim'}>
                {t(one.why === null ? 'setup.wake.heard' : 'setup.wake.near', { score: number(one.score, 2) })}
              </li>
            ))}
          </ul>
        )}
        {tried !== null && tried.heard.length < tried.times && (
          <p class="bad-text">{t('setup.wake.missed', { heard: tried.heard.length, times: tried.times })}</p>
        )}
      </div>
      {tried !== null && tried.heard.length < tried.times && tried.lower_threshold !== null && (
        <button type="button" onClick={() => work(() => lower(tried.lower_threshold ?? 0))}>
          {t('setup.wake.lower', { threshold: number(tried.lower_threshold, 2) })}
        </button>
      )}
      <p>
        <a href="#/people">{t('setup.wake.train')}</a>
      </p>
      <Failed of={failed} />
    </>
  );
}
