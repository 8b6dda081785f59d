import { useState } from 'preact/hooks';
import { get } from '../api';
import { ask } from '../commands';
import { Badge, Panel, useReading } from '../parts';
import { connection, spokenLanguage, taskChanges } from '../store';
import { inLanguage, t } from '../text';

interface Task {
  id: string;
  goal: string;
  program: string;
  workspace: string;
  state: 'running' | 'asking' | 'done' | 'failed' | 'stopped' | 'interrupted';
  text: string;
  /** What the program said last, line by line. */
  lines: string[];
  file: string;
}

/** The task that was handed to another program; nothing where there was none. What is done with it is said. */
export function HandedOn() {
  const [changes, setChanges] = useState(0);
  const [answer, setAnswer] = useState('');
  const [told, setTold] = useState('');
  const { value } = useReading(async () => (await get<{ task: Task | null }>('task')).task, [changes, taskChanges.value]);
  if (value === null) return null;
  const say = async (request: string) => {
    const turn = await ask(request);
    setTold(turn?.reply ?? '');
    if (turn?.outcome === 'done') setAnswer('');
    setChanges((before) => before + 1);
  };
  const isOpen = value.state === 'running' || value.state === 'asking';
  return (
    <Panel title={t('task.title')} id="task">
      <div class="row wrap">
        <strong>{value.goal}</strong>
        <Badge group="task" name={value.state} />
        <span class="dim">{t('task.where', { program: value.program, workspace: value.workspace })}</span>
      </div>
      {value.text !== '' && <blockquote>{value.text}</blockquote>}
      {value.lines.length > 0 && (
        <details open>
          <summary>{t('task.lines')}</summary>
          <pre tabIndex={0} aria-label={t('task.lines')}>{value.lines.join('\n')}</pre>
          {value.file !== '' && <p class="dim">{t('task.file', { file: value.file })}</p>}
        </details>
      )}
      {value.state === 'asking' && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            void say(inLanguage(spokenLanguage.value, 'task.phrase.answer', { answer: answer.trim() }));
          }}
        >
          <label class="field grow">
            <span>{t('task.answer')}</span>
            <input type="text" required maxLength={1000} autocomplete="off" value={answer} onInput={(event) => setAnswer(event.currentTarget.value)} />
          </label>
          <button type="submit" class="main" disabled={connection.value !== 'open'}>
            {t('task.answer.go')}
          </button>
        </form>
      )}
      {isOpen && (
        <button
          type="button"
          disabled={connection.value !== 'open'}
          onClick={() => void say(inLanguage(spokenLanguage.value, 'task.phrase.stop'))}
        >
          {t('task.stop')}
        </button>
      )}
      <p role="status">{told}</p>
    </Panel>
  );
}
