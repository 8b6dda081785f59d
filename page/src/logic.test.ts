import { describe, expect, it } from 'vitest';
import type { HarkEvent } from './events';
import { levelDb, Resampler, toPcm } from './resampler';
import { metrics, percentile, spans, tell } from './story';
import de from './strings/de.json';
import en from './strings/en.json';
import german from './strings/settings.de.json';
import schema from '../../contracts/config.schema.json';

const at = '2026-01-02T03:04:05.678+01:00';
const common = { turn: 't-1', at };
const intent = { event: 'intent', name: 'HassTurnOn', slots: {}, confidence: 1, route: 'template', why: 'a sentence' } as const;

const spoken: HarkEvent[] = [
  { event: 'speech_started', ...common, t_ms: 1000 },
  { event: 'partial', text: 'turn on', stable: 4, ...common, t_ms: 1500 },
  { event: 'speech_ended', endpoint: 'complete', ...common, t_ms: 2000 },
  { event: 'transcript', text: 'turn on the lamp', engine: 'grammar', confidence: 0.9, language: 'en', ...common, t_ms: 2100 },
  { ...intent, ...common, t_ms: 2101 },
  {
    event: 'action',
    tool: 'home.turn_on',
    args: { name: 'Lamp' },
    receipt: { id: 'r', ok: true, changed: true, detail: {} },
    duration_ms: 5,
    ...common,
    t_ms: 2107,
  },
  { event: 'reply', text: 'Turned', language: 'en', ends: false, ...common, t_ms: 2108 },
  { event: 'reply', text: 'Turned on the lamp.', language: 'en', ends: true, ...common, t_ms: 2110 },
  { event: 'speaking_started', ...common, t_ms: 2150 },
  { event: 'speaking_ended', reason: 'done', ...common, t_ms: 3150 },
];

describe('the story of a turn', () => {
  it('has its stages as bars, in order', () => {
    const bars = spans(spoken);
    expect(bars.map((bar) => bar.stage)).toEqual(['speech', 'recognise', 'understand', 'act', 'answer', 'voice', 'speak']);
    expect(bars[0]).toMatchObject({ from: 0, to: 1000 });
    expect(bars[3]).toMatchObject({ name: 'home.turn_on', from: 1102, to: 1107 });
    expect(bars.at(-1)).toMatchObject({ from: 1150, to: 2150 });
    expect(spans([])).toEqual([]);
  });

  it('has what was said and answered', () => {
    const story = tell(spoken);
    expect(story.reply).toBe('Turned on the lamp.');
    expect(story.transcript?.text).toBe('turn on the lamp');
    expect(story).toMatchObject({ spoken: true, speaking: false, outcome: null });
  });

  it('follows the steps of a plan', () => {
    const plan: HarkEvent[] = [
      {
        event: 'plan',
        id: 'p',
        summary: 'night',
        steps: [{ id: '1', description: 'lights off', tool: 'home.turn_off', status: 'pending' }],
        ...common,
        t_ms: 1,
      },
      { event: 'step_update', plan: 'p', step: '1', status: 'completed', message: 'ok', ...common, t_ms: 2 },
      { event: 'step_update', plan: 'other', step: '1', status: 'failed', message: '', ...common, t_ms: 3 },
    ];
    expect(tell(plan).plans[0]?.steps[0]).toMatchObject({ status: 'completed', message: 'ok' });
    expect(tell(plan.slice(0, 1)).plans[0]?.steps[0]?.status).toBe('pending');
  });
});

describe('numbers', () => {
  it('takes percentiles by nearest rank', () => {
    expect(percentile([], 0.5)).toBeNull();
    expect(percentile([3, 1, 2], 0.5)).toBe(2);
    expect(percentile(Array.from({ length: 100 }, (_, index) => index + 1), 0.95)).toBe(95);
  });

  it('reads the text of Prometheus', () => {
    const text = '# HELP x y\nhark_turns_total{route="template",outcome="a \\"b\\""} 8\nhark_uptime_seconds 4.5\n';
    expect(metrics(text)).toEqual([
      { name: 'hark_turns_total', labels: { route: 'template', outcome: 'a "b"' }, value: 8 },
      { name: 'hark_uptime_seconds', labels: {}, value: 4.5 },
    ]);
  });
});

describe('sound', () => {
  const tone = (hz: number, rate: number, seconds: number) =>
    Float32Array.from({ length: rate * seconds }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / rate));
  const resampled = (from: number, hz: number) => {
    const resampler = new Resampler(from, 16000);
    const input = tone(hz, from, 1);
    const output: number[] = [];
    for (let start = 0; start < input.length; start += 128) output.push(...resampler.push(input.subarray(start, start + 128)));
    return Float32Array.from(output);
  };

  it.each([48000, 44100, 16000, 8000])('comes from %i to 16000 samples a second', (rate) => {
    const output = resampled(rate, 1000);
    expect(Math.abs(output.length - 16000)).toBeLessThan(60);
    expect(levelDb(output.subarray(200, 15000))).toBeCloseTo(levelDb(tone(1000, 16000, 1)), 0);
  });

  it('leaves out what the lower rate cannot hold', () => {
    expect(levelDb(resampled(48000, 11000).subarray(200, 15000))).toBeLessThan(-50);
  });

  it('is cut off at full scale', () => {
    expect([...toPcm(Float32Array.from([2, -2, 0]))]).toEqual([32767, -32767, 0]);
  });
});

describe('texts', () => {
  it('are there in both languages, with the same values to fill in', () => {
    expect(Object.keys(de)).toEqual(Object.keys(en));
    const values = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const [key, text] of Object.entries(en)) expect(values(de[key as keyof typeof de]), key).toEqual(values(text));
  });
});

describe('texts of settings', () => {
  it('has a German one for every section and key there is, and for no other', () => {
    const sections = Object.entries(schema.properties as Record<string, { properties?: Record<string, { additionalProperties?: object }> }>);
    const keys = sections.flatMap(([name, { properties = {} }]) => [
      name,
      // Tables of the owner's choice are written by hand, and shown nowhere.
      ...Object.keys(properties).flatMap((key) => (properties[key]?.additionalProperties ? [] : [`${name}.${key}`])),
    ]);
    expect(keys.filter((key) => !(key in german))).toEqual([]);
    expect(Object.keys(german).filter((key) => !keys.includes(key))).toEqual([]);
  });
});
