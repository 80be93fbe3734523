import type { Door } from '../../operations/door.js';
import { seeOther } from './headers.js';
import { Csrf, Lamp } from './layout.js';
import type { Screens } from './screens.js';
import { Time } from './time.js';
import { hasRole, type Visit } from './visit.js';

type SwitchStates = Awaited<ReturnType<Door['switches']>>;

const SWITCHES = ['intake', 'claims'] as const;

export function switchScreens(screens: Screens): void {
  screens.post('/people/switch', async ({ door }, form) => {
    await door.setSwitch({
      switch: form.get('switch'),
      paused: form.get('paused') === 'true',
      reason: form.get('reason').trim(),
    });
    return seeOther('/people#switches');
  });
}

/** The two switches that stop new work from coming in, or from being started, without losing what there is. */
export function Switches({ visit, switches }: { readonly visit: Visit; readonly switches: SwitchStates }) {
  const { t, session } = visit;
  return (
    <section class="panel" id="switches" aria-labelledby="switches-title">
      <h2 id="switches-title">{t('switch.title')}</h2>
      <div class="switches">
        {SWITCHES.map((name) => {
          const paused = name === 'intake' ? switches.intakePaused : switches.claimsPaused;
          const last = switches.turns.find((turn) => turn.switch === name);
          return (
            <form method="post" action="/people/switch">
              <Csrf session={session} />
              <input type="hidden" name="switch" value={name} />
              <input type="hidden" name="paused" value={String(!paused)} />
              <p>
                <Lamp state={paused ? 'red' : 'green'} /> <strong>{t(`switch.${name}`)}</strong>:{' '}
                {t(paused ? 'switch.paused' : 'switch.running')}
              </p>
              {last ? (
                <p class="small muted">
                  <bdi>{last.by}</bdi> · <Time at={last.at} /> · <bdi>{last.reason}</bdi>
                </p>
              ) : null}
              {hasRole(session, 'operator') ? (
                <>
                  <label for={`switch-${name}`}>{t('field.reason')}</label>
                  <input id={`switch-${name}`} name="reason" required autocomplete="off" />
                  <div class="buttons">
                    <button class={paused ? 'primary' : 'danger'}>
                      {t(paused ? 'switch.resume' : 'switch.pause')}
                    </button>
                  </div>
                </>
              ) : null}
            </form>
          );
        })}
      </div>
    </section>
  );
}
