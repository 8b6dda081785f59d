import { useState } from 'preact/hooks';
import { ask } from '../../commands';
import { entries, health } from '../../store';
import { t } from '../../text';
import { Doing, useWork, type StepProps } from './parts';

/** A request from end to end: by voice where there is a microphone, else in writing. */
export function TestStep({ choices, of, done }: StepProps) {
  const words = of('wake.words');
  const word = choices.wake_words.find((one) => Array.isArray(words) && words.includes(one.name))?.spoken ?? '';
  const hasMicrophone = health.value?.parts.some((part) => part.name === 'microphone' && part.state === 'well') ?? false;
  const [since] = useState(() => new Set(entries.value.map((entry) => entry.turn)));
  const [text, setText] = useState(choices.request);
  const [isSilent, setIsSilent] = useState(false);
  const { isBusy, work } = useWork();
  const newest = entries.value.findLast((entry) => !since.has(entry.turn) && entry.story.transcript !== null);
  const reply = newest?.story.reply ?? null;
  const isUnderstood = newest?.story.outcome !== null && newest?.story.outcome !== 'not_understood';
  return (
    <>
      {hasMicrophone ? (
        <p class="big">{t('setup.test.say', { word, request: choices.request })}</p>
      ) : (
        <p>{t('setup.test.noMicrophone')}</p>
      )}
      <Doing
        go={t('setup.test.ask')}
        isBusy={isBusy}
        act={() =>
          work(async () => {
            setIsSilent(false);
            await ask(text);
          })
        }
      >
        <label class="field">
          <span>{t('setup.test.write')}</span>
          <input type="text" required value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      </Doing>
      <div role="status">
        {newest && (
          <div class="asked">
            <p>{t('setup.test.understood', { text: newest.story.transcript?.text ?? '' })}</p>
            {reply !== null && <p class="good-text">{t('setup.test.reply', { text: reply })}</p>}
            {newest.story.outcome === 'not_understood' && <p class="bad-text">{t('setup.test.again')}</p>}
            {isUnderstood && reply !== null && (
              <div class="row wrap">
                <span>{t('setup.test.right')}</span>
                <button type="button" class="main" onClick={() => done(t('setup.test.works', { reply }))}>
                  {t('setup.yes')}
                </button>
                <button type="button" onClick={() => setIsSilent(true)}>
                  {t('setup.no')}
                </button>
              </div>
            )}
          </div>
        )}
        {isSilent && <p>{t('setup.test.advice')}</p>}
      </div>
    </>
  );
}
