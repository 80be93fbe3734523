// The cockpit's own script: live pages, times in the reader's zone, copy buttons, drafts. Pages work without it.
'use strict';

(() => {
  const { live, copied } = document.body.dataset;
  const connection = document.getElementById('connection');
  const SETTLE_MS = 250;
  let stream = null;
  let last = '';
  let pending = 0;

  // -- what changed: pieces that renew themselves are asked for again; a form never loses what is typed in it
  function changed(workId) {
    const form = document.querySelector('form[data-answers]');
    const shown = document.querySelector('[data-work]');
    if (shown && workId !== undefined && shown.dataset.work === workId) {
      const note = document.getElementById('changed-note');
      if (note) note.hidden = false;
    } else if (form && workId === undefined) {
      // Back after a silence: whatever this form answers may have changed meanwhile; the desk will say so.
    }
    clearTimeout(pending);
    pending = setTimeout(() => document.body.dispatchEvent(new CustomEvent('desk-changed')), SETTLE_MS);
  }

  function lost(isLost) {
    if (connection) connection.hidden = !isLost;
    document.body.classList.toggle('is-old', isLost);
  }

  function open() {
    if (!live || stream) return;
    stream = new EventSource(last === '' ? live : `${live}?after=${last}`);
    let first = true;
    stream.addEventListener('here', (event) => {
      lost(false);
      // Coming back is a reason to look again even when the stream itself has nothing to tell.
      if (last !== '' && first) changed();
      first = false;
      last = event.data;
    });
    stream.addEventListener('change', (event) => {
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
    if (stream) stream.close();
    stream = null;
  }

  // A browser keeps six connections to a site: a tab that nobody looks at must not hold one.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else open();
  });
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', () => {
    if (!document.hidden) open();
  });

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

  document.addEventListener('DOMContentLoaded', () => localTimes(document));
  document.addEventListener('htmx:afterSettle', () => localTimes(document));
  if (document.readyState !== 'loading') localTimes(document);
  if (!document.hidden) open();
})();
