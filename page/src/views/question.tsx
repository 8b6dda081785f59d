import { useRef } from 'preact/hooks';
import { token } from '../api';
import { ask } from '../commands';
import { send } from '../socket';
import type { Question } from '../store';
import { t } from '../text';

/** A PIN is sent and kept nowhere. */
function PinForm({ session, deny }: { session: string | null; deny: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <form
      class="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        const content = input.current?.value.trim() ?? '';
        if (content === '' || !send({ type: 'chat', content, ...(session === null ? {} : { session_id: session }) })) return;
        if (input.current) input.current.value = '';
      }}
    >
      <input ref={input} type="password" inputMode="numeric" autocomplete="off" aria-label={t('question.pin')} required />
      <button type="submit" class="main">
        {t('token.go')}
      </button>
      <button type="button" onClick={deny}>
        {t('question.deny')}
      </button>
    </form>
  );
}

/** What Hark waits to be told. */
export function QuestionBox({ asked }: { asked: Question }) {
  const { entry, kind, candidates } = asked;
  // Without a token only the conversation that was asked may answer.
  const mayAnswer = entry.isOwn || token.value !== null;
  const answer = (type: 'approve' | 'deny') =>
    send({ type, turn: entry.turn, ...(entry.isOwn && entry.session !== null ? { session_id: entry.session } : {}) });
  return (
    <section class="question" aria-labelledby="question-title">
      <h2 id="question-title">{t(`question.${kind}`)}</h2>
      <p role="alert" lang={entry.story.language ?? undefined}>
        {asked.text}
      </p>
      {!mayAnswer && <p class="dim">{t('question.elsewhere')}</p>}
      {mayAnswer && kind === 'approval' && (
        <div class="row">
          <button type="button" class="main" onClick={() => answer('approve')}>
            {t('question.approve')}
          </button>
          <button type="button" onClick={() => answer('deny')}>
            {t('question.deny')}
          </button>
        </div>
      )}
      {entry.isOwn && kind === 'pin' && <PinForm session={entry.session} deny={() => answer('deny')} />}
      {entry.isOwn && kind === 'answer' && candidates.length > 0 && (
        <div class="row wrap">
          {candidates.slice(0, 12).map((name) => (
            <button type="button" key={name} onClick={() => void ask(name, entry.session)}>
              {name}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
