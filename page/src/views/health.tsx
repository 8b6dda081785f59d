import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { Curves, type Series } from '../curves';
import type { Health as HealthReport, Timings, TurnSummary } from '../events';
import { Badge, Form, isReal, Panel, tellFailure, useReading, useTick } from '../parts';
import { useMeter } from '../meter';
import { send } from '../socket';
import { connection, entries, hasMicrophone, hasSpeaker, health, meter, models, notify } from '../store';
import { metrics, percentile } from '../story';
import { duration, milliseconds, moment, number, t, word } from '../text';
import { edit } from './settings';

const STAGES: (keyof Timings)[] = [
  'speech_end_to_transcript',
  'transcript_to_intent',
  'intent_to_action',
  'to_first_audio',
  'speech_end_to_first_audio',
];

function Parts({ report }: { report: HealthReport }) {
  return (
    <>
      <p class={report.ok ? 'good-text' : 'bad-text'}>{t(report.ok ? 'health.ok' : 'health.notOk')}</p>
      <ul class="plain-list parts">
        {report.parts.map((part) => (
          <li key={part.name}>
            <span>{word('part', part.name)}</span>
            <Badge group="health.part" name={part.state} />
            {part.fault && (
              <p>
                {part.fault.message}
                {part.fault.fix !== '' && <small class="dim"> {t('health.fix', { fix: part.fault.fix })}</small>}
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A logarithmic scale has no zero. */
function onLog(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.max(0.1, value);
}

function Latency() {
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value } = useReading(async () => (await get<{ turns: TurnSummary[] }>('turns?limit=200')).turns, [newest]);
  const rows = useMemo(
    () =>
      STAGES.map((stage) => {
        const times = (value ?? []).flatMap((turn) => turn.timings_ms?.[stage] ?? []);
        return { stage, times };
      }).filter(({ times }) => times.length > 0),
    [value],
  );
  const data = useMemo((): [number[], (number | null)[], (number | null)[]] => {
    const turns = (value ?? []).filter((turn) => turn.timings_ms !== null).slice(0, 100).reverse();
    return [
      turns.map((_, index) => index),
      turns.map((turn) => onLog(turn.timings_ms?.transcript_to_intent)),
      turns.map((turn) => onLog(turn.timings_ms?.intent_to_action)),
    ];
  }, [value]);
  const series: Series[] = [
    { label: t('timing.transcript_to_intent'), colour: '--curve-level', kind: 'line' },
    { label: t('timing.intent_to_action'), colour: '--curve-wake', kind: 'line' },
  ];
  return (
    <Panel title={t('health.latency')} id="latency">
      {rows.length === 0 ? (
        <p class="dim">{t('health.none')}</p>
      ) : (
        <>
          <p class="dim">{t('health.latency.about', { count: number(value?.length ?? 0) })}</p>
          <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="latency">
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('health.stage')}</th>
                  <th scope="col">{t('health.turns')}</th>
                  <th scope="col">{t('health.median')}</th>
                  <th scope="col">{t('health.p95')}</th>
                  <th scope="col">{t('health.max')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ stage, times }) => (
                  <tr key={stage}>
                    <th scope="row">{word('timing', stage)}</th>
                    <td>{number(times.length)}</td>
                    <td>{milliseconds(percentile(times, 0.5))}</td>
                    <td>{milliseconds(percentile(times, 0.95))}</td>
                    <td>{milliseconds(Math.max(...times))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {data[0].length > 1 && (
            <Curves
              label={t('health.chart')}
              series={series}
              data={data}
              range={null}
              axis={(at) => milliseconds(at)}
              height={150}
              isLog
            />
          )}
        </>
      )}
    </Panel>
  );
}

function Counts({ report }: { report: HealthReport }) {
  const tick = useTick(10_000);
  const { value } = useReading(async () => metrics(await (await fetchApi('GET', 'metrics')).text()), [tick]);
  const of = (name: string) => value?.find((sample) => sample.name === name)?.value;
  const turns = (value ?? []).filter((sample) => sample.name === 'hark_turns_total' && sample.value > 0);
  const memory = of('hark_resident_memory_bytes');
  return (
    <Panel title={t('health.counts')} id="counts">
      <dl class="facts">
        <div><dt>{t('health.version')}</dt><dd>{report.version}</dd></div>
        <div><dt>{t('health.uptime')}</dt><dd>{duration(report.uptime_s)}</dd></div>
        {memory !== undefined && <div><dt>{t('health.memory')}</dt><dd>{number(memory / 1024 / 1024)} MiB</dd></div>}
        <div><dt>{t('health.xruns')}</dt><dd>{number(of('hark_xruns_total') ?? 0)}</dd></div>
        <div><dt>{t('health.refused')}</dt><dd>{number(of('hark_events_refused_total') ?? 0)}</dd></div>
      </dl>
      {turns.length > 0 && (
        <ul class="plain-list counts">
          {turns.map((sample) => (
            <li key={`${sample.labels['route']}-${sample.labels['outcome']}`}>
              <span>{word('route', sample.labels['route'] ?? '')}</span>
              <Badge group="outcome" name={sample.labels['outcome'] ?? ''} />
              <strong>{number(sample.value)}</strong>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Voice() {
  const [text, setText] = useState(t('health.say.default'));
  const [answer, setAnswer] = useState('');
  const say = async () => {
    try {
      const said = (await (await fetchApi('POST', 'say', { text })).json()) as { spoken: boolean };
      setAnswer(t(said.spoken ? 'health.say.done' : 'health.say.quiet'));
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
  };
  return (
    <Panel title={t('health.say')} id="say">
      <Form class="filters" submit={say}>
        <label class="field grow">
          <span>{t('health.say.text')}</span>
          <input type="text" required maxLength={1000} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main">
          {t('health.say.go')}
        </button>
      </Form>
      <p role="status">{answer}</p>
    </Panel>
  );
}

function Models() {
  const isOpen = connection.value === 'open';
  useEffect(() => {
    if (isOpen) send({ type: 'list_models' });
  }, [isOpen]);
  if (models.value === null) return null;
  return (
    <Panel title={t('health.models')} id="models">
      {models.value.length === 0 && <p class="dim">{t('health.models.none')}</p>}
      <ul class="plain-list parts">
        {models.value.map((model) => (
          <li key={`${model.provider}/${model.name}`}>
            <span>
              {model.name} <small class="dim">{model.provider}</small>
            </span>
            {model.chosen && <span class="badge good">{t('health.models.chosen')}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface Finding {
  check: string;
  ok: boolean;
  message: string;
  fix: string;
}

function Doctor() {
  const [found, setFound] = useState<Finding[] | null>(null);
  const [isRunning, setIsRunning] = useState(false);
  const run = async () => {
    setIsRunning(true);
    try {
      setFound((await get<{ findings: Finding[] }>('doctor')).findings);
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
    setIsRunning(false);
  };
  const count = found?.length ?? 0;
  const failed = (found ?? []).filter((finding) => !finding.ok).length;
  const told = isRunning
    ? t('health.doctor.running')
    : found === null
      ? ''
      : failed === 0
        ? t('health.doctor.ok', { count })
        : t('health.doctor.failed', { failed, count });
  return (
    <Panel title={t('health.doctor')} id="doctor">
      <p class="dim">{t('health.doctor.about')}</p>
      <p class="row wrap">
        <button type="button" class="main" disabled={isRunning || connection.value !== 'open'} onClick={() => void run()}>
          {t('health.doctor.go')}
        </button>
        <span role="status">{told}</span>
      </p>
      <ul class="plain-list parts">
        {(found ?? []).map((finding) => (
          <li key={finding.check}>
            <span>{finding.check}</span>
            <Badge group="check" name={finding.ok ? 'passed' : 'failed'} />
            <p lang="en">
              {finding.message}
              {finding.fix !== '' && <small class="dim"> {t('health.fix', { fix: finding.fix })}</small>}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface Device {
  name: string;
  description: string;
  lowest_rate_hz: number;
  highest_rate_hz: number;
  channels: number;
  default: boolean;
}

/** Where a sound server says more than this, it takes whatever it is given. */
const MOST_RATE_HZ = 768_000;

interface Tested {
  peak_dbfs: number | null;
  loudness: 'quiet' | 'good' | 'loud' | null;
  played: boolean;
  message: string;
  fix: string;
}

/** What a test by ear came to, in words. */
function toldOf(tested: Tested): string {
  const { loudness, peak_dbfs: peak, message, fix } = tested;
  const heard = loudness === null ? '' : t(`setup.loudness.${loudness}`, { level: number(peak ?? -100) });
  const played = tested.played && loudness === null ? t('health.devices.played') : '';
  return [heard, played, message, fix].filter((part) => part !== '').join(' ');
}

/** Tries one device: tones on a speaker, a recording that is played back of a microphone. */
function Try({ test, device }: { test: 'microphone' | 'speaker'; device: Device }) {
  const [told, setTold] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    setTold(t(`setup.${test}.running`));
    try {
      setTold(toldOf((await (await fetchApi('POST', 'setup/sound', { test, device: device.name })).json()) as Tested));
    } catch (error) {
      setTold('');
      tellFailure(error);
    }
    setIsBusy(false);
  };
  return (
    <>
      <button
        type="button"
        aria-label={t(`health.devices.try.${test}`, { name: device.name })}
        disabled={isBusy || connection.value !== 'open'}
        onClick={() => void run()}
      >
        {t('health.devices.try')}
      </button>
      <span role="status" class="told">
        {told}
      </span>
    </>
  );
}

const DEVICE_KEYS = { microphones: 'audio.input_device', speakers: 'audio.output_device' } as const;

function Devices() {
  const [found, setFound] = useState<Record<keyof typeof DEVICE_KEYS, Device[]> | null>(null);
  const [isRunning, setIsRunning] = useState(false);
  const look = async () => {
    setIsRunning(true);
    try {
      const all = await get<Record<keyof typeof DEVICE_KEYS, Device[]>>('devices');
      setFound({ microphones: all.microphones.filter(isReal), speakers: all.speakers.filter(isReal) });
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
    setIsRunning(false);
  };
  // It is written where it can be looked over with the other changes, and saved.
  const use = (key: string, device: Device) => {
    edit(key, device.name);
    location.hash = `#/settings/${key}`;
  };
  return (
    <Panel title={t('health.devices')} id="devices">
      <p class="row wrap">
        <button type="button" disabled={isRunning || connection.value !== 'open'} onClick={() => void look()}>
          {t('health.devices.go')}
        </button>
        <span role="status">{isRunning && t('setup.looking')}</span>
      </p>
      {found !== null && <p class="dim small-text">{t('health.devices.about')}</p>}
      {found !== null &&
        (['microphones', 'speakers'] as const).map((kind) => (
          <div key={kind} role="group" aria-labelledby={`devices-${kind}`}>
            <h3 id={`devices-${kind}`}>{t(`health.devices.${kind}`)}</h3>
            {found[kind].length === 0 && <p class="dim">{t('health.devices.none')}</p>}
            <ul class="plain-list">
              {found[kind].map((device) => (
                <li key={device.name} class="fact">
                  <div>
                    {device.name} {device.default && <span class="badge">{t('health.devices.default')}</span>}
                    <p class="dim small-text">
                      {device.description}
                      {device.highest_rate_hz <= MOST_RATE_HZ &&
                        ` · ${t('health.devices.rates', {
                          low: number(device.lowest_rate_hz),
                          high: number(device.highest_rate_hz),
                          channels: device.channels,
                        })}`}
                    </p>
                  </div>
                  <Try test={kind === 'microphones' ? 'microphone' : 'speaker'} device={device} />
                  <button
                    type="button"
                    aria-label={t('health.devices.use.this', { name: device.name })}
                    onClick={() => use(DEVICE_KEYS[kind], device)}
                  >
                    {t('health.devices.use')}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </Panel>
  );
}

function Support() {
  const [told, setTold] = useState('');
  const [isMaking, setIsMaking] = useState(false);
  const download = async () => {
    setIsMaking(true);
    setTold(t('health.support.making'));
    try {
      const bundle = await get<unknown>('support');
      const name = `hark-support-${new Date().toISOString().slice(0, 10)}.json`;
      const url = URL.createObjectURL(new Blob([JSON.stringify(bundle, null, 2)], { type: 'application/json' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      URL.revokeObjectURL(url);
      setTold(t('health.support.done', { name }));
    } catch (error) {
      setTold('');
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
    setIsMaking(false);
  };
  return (
    <Panel title={t('health.support')} id="support">
      <p class="dim">{t('health.support.about')}</p>
      <p class="row wrap">
        <button type="button" disabled={isMaking || connection.value !== 'open'} onClick={() => void download()}>
          {t('health.support.go')}
        </button>
        <span role="status">{told}</span>
      </p>
    </Panel>
  );
}

interface Node {
  node: string;
  area: string | null;
  version: string;
  online: boolean;
  own: boolean;
}

function Nodes() {
  const { value, failure } = useReading(async () => (await get<{ nodes: Node[] }>('nodes')).nodes, []);
  if (failure === null && (value?.length ?? 0) === 0) return null;
  return (
    <Panel title={t('health.nodes')} id="nodes">
      {failure !== null && <p class="bad-text">{failure}</p>}
      <ul class="plain-list parts">
        {(value ?? []).map((node) => (
          <li key={node.node}>
            <span>
              {node.node} {node.own && <span class="badge">{t('health.nodes.own')}</span>}{' '}
              <small class="dim">{[node.area, node.version].filter(Boolean).join(' · ')}</small>
            </span>
            <Badge group="node" name={node.online ? 'well' : 'away'} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Sound() {
  useMeter();
  const [isSaid, setIsSaid] = useState(false);
  const now = meter.value;
  const echo = now?.echo ?? null;
  const say = async () => {
    setIsSaid(true);
    try {
      await fetchApi('POST', 'say', { text: t('health.echo.text') });
    } catch (error) {
      tellFailure(error);
    }
  };
  const db = (value: number) => `${number(value)} dB`;
  return (
    <Panel title={t('health.sound')} id="sound">
      {now?.is_open === true ? (
        <>
          <div class="level">
            <span id="level">{t('health.level')}</span>
            <meter min={-80} max={0} value={now.level_dbfs} aria-labelledby="level" />
            <span class="figure-value">{db(now.level_dbfs)}</span>
          </div>
          <div class="level">
            <span id="speech">{t('health.speech')}</span>
            <meter min={0} max={1} value={now.speech} aria-labelledby="speech" />
            <span class="figure-value">{number(now.speech, 2)}</span>
          </div>
          <div class="level">
            <span id="wake-score">{t('now.curve.wake')}</span>
            <meter min={0} max={1} value={now.wake} aria-labelledby="wake-score" />
            <span class="figure-value">{number(now.wake, 2)}</span>
          </div>
        </>
      ) : (
        <p class="dim">{t('health.sound.none')}</p>
      )}
      <h3>{t('health.echo')}</h3>
      {echo === null ? (
        <p class="dim">{t('health.echo.none')}</p>
      ) : (
        <dl class="facts">
          <div>
            <dt>{t('health.echo.erle')}</dt>
            <dd>
              {`${number(echo.erle_db, 1)} dB`} <span class="dim">{t('health.echo.age', { time: duration(echo.age_s) })}</span>
            </dd>
          </div>
          <div>
            <dt>{t('health.echo.delay')}</dt>
            <dd>{milliseconds(echo.delay_ms)}</dd>
          </div>
          <div>
            <dt>{t('health.echo.drift')}</dt>
            <dd>{number(echo.drift_ppm, 1)} ppm</dd>
          </div>
        </dl>
      )}
      {echo?.is_learning === true && <p class="dim">{t('health.echo.learning')}</p>}
      <p class="dim">{t('health.echo.about')}</p>
      {hasSpeaker.value && now?.is_open === true && (
        <p class="row wrap">
          <button type="button" disabled={connection.value !== 'open'} onClick={() => void say()}>
            {t('health.echo.go')}
          </button>
          <span role="status">{isSaid && t('health.echo.said')}</span>
        </p>
      )}
    </Panel>
  );
}

function Restart() {
  const [isSure, setIsSure] = useState(false);
  const [told, setTold] = useState('');
  const restart = async () => {
    setIsSure(false);
    try {
      await fetchApi('POST', 'restart');
      setTold(t('health.restart.done'));
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Panel title={t('health.restart')} id="restart">
      <p class="dim">{t('health.restart.about')}</p>
      <p class="row wrap">
        {isSure ? (
          <>
            <span>{t('health.restart.sure')}</span>
            <button type="button" class="danger" onClick={() => void restart()}>
              {t('health.restart.go')}
            </button>
            <button type="button" onClick={() => setIsSure(false)}>
              {t('health.restart.keep')}
            </button>
          </>
        ) : (
          <button type="button" disabled={connection.value !== 'open'} onClick={() => setIsSure(true)}>
            {t('health.restart.go')}
          </button>
        )}
        <span role="status">{told}</span>
      </p>
    </Panel>
  );
}

export function Health() {
  const tick = useTick(5000);
  const { value } = useReading(() => get<HealthReport>('health'), [tick]);
  useEffect(() => {
    if (value) health.value = value;
  }, [value]);
  const report = value ?? health.value;
  return (
    <>
      <h1>{t('health.title')}</h1>
      {report && (
        <div class="columns">
          <Panel title={t('health.parts')} id="parts">
            <Parts report={report} />
            <h3>{t('health.faults')}</h3>
            {report.faults.length === 0 && <p class="dim">{t('health.noFaults')}</p>}
            <ul class="plain-list">
              {report.faults.map((fault) => (
                <li key={`${fault.part}-${fault.at}`} class="fault">
                  <p>
                    <strong>{word('part', fault.part)}</strong> <time class="dim" dateTime={fault.at}>{moment(fault.at)}</time>
                  </p>
                  <p>{fault.message}</p>
                  {fault.fix !== '' && <p class="dim">{t('health.fix', { fix: fault.fix })}</p>}
                </li>
              ))}
            </ul>
          </Panel>
          <Counts report={report} />
          <Latency />
          {hasMicrophone.value && <Sound />}
          {hasSpeaker.value && <Voice />}
          <Models />
          <Doctor />
          <Devices />
          <Nodes />
          <Support />
          <Restart />
        </div>
      )}
      <p class="dim">
        <a href="./licenses.txt">{t('health.licences')}</a>
      </p>
    </>
  );
}
