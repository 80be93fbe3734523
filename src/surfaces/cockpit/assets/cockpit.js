// The cockpit's own script: live pages, times in the reader's zone, copy buttons, drafts. Pages work without it.
'use strict';

(() => {
  const { live, copied, asOf } = document.body.dataset;
  const connection = document.getElementById('connection');
  const SETTLE_MS = 250;
  // However fast things change, a page asks again at most this often.
  const PACE_MS = 1_500;
  // The server shows a sign of life every five seconds; four of them missing is a lost connection.
  const SILENCE_MS = 20_000;
  let stream = null;
  // The page is of this place in the record: what came while it was on its way is told as well.
  let last = asOf ?? '';
  let was = false;
  let pending = 0;
  let renewed = 0;
  let watch = 0;

  // -- what changed: pieces that renew themselves are asked for again; a form never loses what is typed in it
  function changed(workId) {
    const shown = document.querySelector('[data-work]');
    const note = document.getElementById('changed-note');
    if (shown && note && shown.dataset.work === workId) note.hidden = false;
    if (pending !== 0) return;
    pending = setTimeout(
      () => {
        pending = 0;
        renewed = Date.now();
        document.body.dispatchEvent(new CustomEvent('desk-changed'));
      },
      Math.max(SETTLE_MS, renewed + PACE_MS - Date.now()),
    );
  }

  function lost(isLost) {
    if (connection) connection.hidden = !isLost;
    document.body.classList.toggle('is-old', isLost);
  }

  function alive() {
    clearTimeout(watch);
    watch = setTimeout(() => {
      lost(true);
      close();
      open();
    }, SILENCE_MS);
  }

  function open() {
    if (!live || stream || document.hidden || !navigator.onLine) return;
    stream = new EventSource(last === '' ? live : `${live}?after=${last}`);
    let first = true;
    stream.addEventListener('here', (event) => {
      lost(false);
      alive();
      // Coming back is a reason to look again even when the stream itself has nothing to tell.
      if (was && first) changed();
      was = true;
      first = false;
      last = event.data;
    });
    stream.addEventListener('pulse', alive);
    stream.addEventListener('change', (event) => {
      alive();
      last = event.lastEventId || last;
      let workId;
      try {
        workId = JSON.parse(event.data).workId;
      } catch {
        workId = undefined;
      }
      changed(workId);
    });
    stream.onerror = () => {
      lost(true);
      // A refusal closes for good (signed out, server restarted with another answer); then we knock again ourselves.
      if (stream && stream.readyState === EventSource.CLOSED) {
        close();
        setTimeout(open, 2000);
      }
    };
  }

  function close() {
    clearTimeout(watch);
    if (stream) stream.close();
    stream = null;
  }

  // A browser keeps six connections to a site: a tab that nobody looks at must not hold one.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else open();
  });
  window.addEventListener('offline', () => {
    lost(true);
    close();
  });
  window.addEventListener('online', open);
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', open);

  // -- times in the reader's own zone
  const zone = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  function localTimes(root) {
    for (const time of root.querySelectorAll('time[datetime]')) {
      const at = new Date(time.dateTime);
      if (!Number.isNaN(at.getTime())) time.textContent = zone.format(at);
    }
  }

  // -- copy buttons
  document.addEventListener('click', async (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
    if (!button) return;
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = copied;
    } catch {
      const source = document.getElementById(button.dataset.copyFrom ?? '');
      if (source) getSelection().selectAllChildren(source);
    }
    setTimeout(() => {
      button.textContent = before;
    }, 1500);
  });

  // Leaving the page ends what it is asking for; that is no error, and the console should not call it one.
  const asked = new Set();
  document.addEventListener('htmx:beforeSend', (event) => {
    const { xhr } = event.detail;
    asked.add(xhr);
    xhr.addEventListener('loadend', () => asked.delete(xhr));
  });
  window.addEventListener('beforeunload', () => {
    for (const xhr of asked) {
      xhr.onabort = null;
      xhr.onerror = null;
    }
  });

  // A list somebody is choosing from stays as it is until they are done.
  document.addEventListener('htmx:beforeRequest', (event) => {
    if (event.target.matches('[data-refreshes]') && event.target.querySelector('input:checked')) event.preventDefault();
  });

  // -- on a narrow screen the picture of the states begins where the work stands
  const current = document.querySelector('.graph .node-current');
  const frame = current?.closest('.scroll');
  if (frame) {
    const place = current.getBoundingClientRect();
    frame.scrollLeft += place.left + place.width / 2 - frame.getBoundingClientRect().left - frame.clientWidth / 2;
  }

  localTimes(document);
  document.addEventListener('htmx:afterSettle', () => localTimes(document));
  open();
})();
