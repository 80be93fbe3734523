// Sends a dropped or chosen file as it is and shows each line's outcome as it comes back.
'use strict';

(() => {
  const form = document.getElementById('import');
  const drop = document.getElementById('drop');
  if (!form || !drop) return;
  const { done, failed, running } = form.dataset;
  const input = form.querySelector('input[type="file"]');
  const state = document.getElementById('import-state');
  const bar = document.getElementById('import-progress');
  const refused = document.getElementById('import-refused');
  const next = document.getElementById('import-next');
  const SHOWN = 500;
  let busy = false;

  for (const name of ['dragenter', 'dragover']) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
  }
  for (const name of ['dragleave', 'drop']) drop.addEventListener(name, () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  });
  input.addEventListener('change', () => {
    if (input.files[0]) send(input.files[0]);
  });
  form.addEventListener('submit', (event) => event.preventDefault());

  // How many lines there will be: the share of what is done needs a whole.
  async function linesOf(file) {
    const reader = file.stream().getReader();
    let lines = 0;
    let open = false;
    for (;;) {
      const { done: ended, value } = await reader.read();
      if (ended) return lines + (open ? 1 : 0);
      for (const byte of value) {
        if (byte === 10) {
          if (open) lines += 1;
          open = false;
        } else if (byte > 32) open = true;
      }
    }
  }

  function told(text, counts) {
    state.textContent = text.replaceAll(/\{(\w+)\}/g, (whole, name) => String(counts[name] ?? whole));
  }

  function refuse(outcome) {
    refused.hidden = false;
    const body = refused.querySelector('tbody');
    if (body.rows.length >= SHOWN) return;
    const row = body.insertRow();
    for (const text of [outcome.line, outcome.code ?? '', outcome.detail ?? '']) row.insertCell().textContent = text;
  }

  async function send(file) {
    if (busy) return;
    busy = true;
    const counts = { seen: 0, created: 0, existing: 0, refused: 0 };
    refused.hidden = true;
    refused.querySelector('tbody').replaceChildren();
    next.hidden = true;
    bar.hidden = false;
    bar.value = 0;
    try {
      const fields = new FormData(form);
      const json = fields.get('format') === 'github';
      bar.max = json ? 100 : Math.max(1, await linesOf(file));
      if (json) bar.removeAttribute('value');
      const query = new URLSearchParams({ format: fields.get('format'), kind: fields.get('kind') });
      const response = await fetch(`/import?${query}`, {
        method: 'POST',
        headers: { 'x-signalbox-csrf': fields.get('csrf'), 'content-type': 'application/octet-stream' },
        body: file,
      });
      if (!response.ok || !(response.headers.get('content-type') ?? '').includes('ndjson')) throw new Error(String(response.status));
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const part = await reader.read();
        if (part.done) break;
        const lines = (rest + part.value).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          const outcome = JSON.parse(line);
          counts.seen += 1;
          if (outcome.outcome === 'refused') {
            counts.refused += 1;
            refuse(outcome);
          } else if (outcome.outcome === 'existing') counts.existing += 1;
          else counts.created += 1;
        }
        if (!json) bar.value = counts.seen;
        told(running, counts);
      }
      bar.max = 1;
      bar.value = 1;
      told(done, counts);
      next.hidden = counts.created + counts.existing === 0;
    } catch (error) {
      told(failed, { ...counts, why: error.message });
    } finally {
      busy = false;
      input.value = '';
    }
  }
})();
