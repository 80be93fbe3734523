// The basket's filters follow each change; filters get names, which this browser keeps.
'use strict';

(() => {
  // Empty fields are no filters: what is pushed into the address is what a person would write there.
  document.addEventListener('htmx:configRequest', (event) => {
    if (!event.target.matches('form.filters')) return;
    const { formData } = event.detail;
    for (const [name, value] of [...formData.entries()]) if (value === '') formData.delete(name);
  });

  const fold = document.querySelector('[data-folds="narrow"]');
  if (fold && matchMedia('(max-width: 40rem)').matches) fold.open = false;

  const saved = document.getElementById('saved');
  if (!saved) return;
  const list = saved.querySelector('ul');
  const form = saved.querySelector('form');
  const key = `signalbox.views:${saved.dataset.keeps}`;
  const MOST = 30;

  function kept() {
    try {
      const views = JSON.parse(localStorage.getItem(key) ?? '[]');
      return Array.isArray(views) ? views.filter((view) => typeof view?.name === 'string' && typeof view?.query === 'string') : [];
    } catch {
      return [];
    }
  }

  function keep(views) {
    try {
      localStorage.setItem(key, JSON.stringify(views.slice(-MOST)));
    } catch {
      // A browser that keeps nothing still has its addresses.
    }
    show();
  }

  function show() {
    list.replaceChildren();
    const here = current();
    for (const { name, query } of kept()) {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = `/basket${query}`;
      link.textContent = name;
      if (query === here) link.setAttribute('aria-current', 'true');
      const remove = document.createElement('button');
      remove.type = 'button';
      remove.className = 'quiet';
      remove.textContent = '×';
      remove.setAttribute('aria-label', saved.dataset.remove.replace('{name}', name));
      remove.addEventListener('click', () => keep(kept().filter((view) => view.name !== name)));
      item.append(link, remove);
      list.append(item);
    }
  }

  // A place in the pages is of this moment only.
  function current() {
    const query = new URLSearchParams(location.search);
    query.delete('cursor');
    return query.size === 0 ? '' : `?${query}`;
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = form.elements.name.value.trim();
    if (name === '') return;
    keep([...kept().filter((view) => view.name !== name), { name, query: current() }]);
    form.reset();
  });
  document.addEventListener('htmx:pushedIntoHistory', show);
  saved.hidden = false;
  show();
})();
