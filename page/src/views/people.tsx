import { useState } from 'preact/hooks';
import { fetchApi, get } from '../api';
import { microphone, microphoneIsPossible, record } from '../microphone';
import { Form, Panel, tellFailure, useReading } from '../parts';
import { connection, entries, notify } from '../store';
import { moment, number, t } from '../text';
import { TrainWakeWord } from './wake';

/** How long somebody speaks to be known by it. */
const RECORDING_MS = 6000;

interface Person {
  name: string;
  samples: number;
  enrolled_at: string | null;
}

function Row({ person, done }: { person: Person; done: () => void }) {
  const [isSure, setIsSure] = useState(false);
  const forget = async () => {
    try {
      await fetchApi('DELETE', `speakers/${encodeURIComponent(person.name)}`);
    } catch (error) {
      tellFailure(error);
    }
    done();
  };
  const label = t('people.forget.this', { name: person.name });
  return (
    <li class="fact">
      <div>
        <strong>{person.name}</strong>
        <p class="dim">
          {t('people.samples', { count: number(person.samples) })}
          {person.enrolled_at !== null && ` · ${moment(person.enrolled_at)}`}
        </p>
      </div>
      {isSure ? (
        <div class="row">
          <span>{t('memory.sure')}</span>
          <button type="button" class="danger" aria-label={label} onClick={() => void forget()}>
            {t('memory.forget')}
          </button>
          <button type="button" onClick={() => setIsSure(false)}>
            {t('memory.keep')}
          </button>
        </div>
      ) : (
        <button type="button" aria-label={label} disabled={connection.value !== 'open'} onClick={() => setIsSure(true)}>
          {t('memory.forget')}
        </button>
      )}
    </li>
  );
}

/** In pieces: an argument for every byte is too many at once. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function Enrol({ done }: { done: () => void }) {
  const [name, setName] = useState('');
  const [told, setTold] = useState('');
  const [isRecording, setIsRecording] = useState(false);
  const enrol = async () => {
    setIsRecording(true);
    setTold(t('people.recording', { seconds: RECORDING_MS / 1000 }));
    try {
      const sound = base64(await record(RECORDING_MS));
      setTold(t('people.working'));
      const path = `speakers/${encodeURIComponent(name.trim())}`;
      const person = (await (await fetchApi('POST', path, { sound })).json()) as Person;
      setTold(t('people.enrolled', { name: person.name, count: person.samples }));
      done();
    } catch (error) {
      setTold('');
      if (error instanceof DOMException) notify(t('people.noMicrophone'), '');
      else tellFailure(error);
    }
    setIsRecording(false);
  };
  if (!microphoneIsPossible) return <p class="dim">{t('people.insecure')}</p>;
  return (
    <>
      <p class="dim">{t('people.enrol.about')}</p>
      <blockquote>{t('people.sentence')}</blockquote>
      <Form class="filters" submit={enrol}>
        <label class="field grow">
          <span>{t('people.name')}</span>
          <input
            type="text"
            required
            maxLength={100}
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button
          type="submit"
          class="main"
          disabled={isRecording || connection.value !== 'open' || microphone.value !== 'off'}
        >
          {t('people.record')}
        </button>
      </Form>
      <p role="status">{told}</p>
    </>
  );
}

export function People() {
  const [changes, setChanges] = useState(0);
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const read = async () => (await get<{ speakers: Person[] }>('speakers')).speakers;
  const { value, failure } = useReading(read, [changes, newest]);
  const done = () => setChanges((before) => before + 1);
  return (
    <>
      <h1>{t('people.title')}</h1>
      <p class="dim lead">{t('people.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value?.length === 0 && <p class="lead">{t('people.none')}</p>}
      {(value?.length ?? 0) > 0 && (
        <ul class="plain-list panel" aria-label={t('people.title')}>
          {(value ?? []).map((person) => (
            <Row key={person.name} person={person} done={done} />
          ))}
        </ul>
      )}
      <Panel title={t('people.enrol')} id="enrol">
        <Enrol done={done} />
      </Panel>
      <Panel title={t('wake.title')} id="train">
        <TrainWakeWord />
      </Panel>
    </>
  );
}
