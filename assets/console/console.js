// Times in the viewer's zone or in UTC, suggestions, copying, the search key, the menu on phones. Pages work without it.
// @ts-check
(() => {
  document.documentElement.classList.add('scripted');

  const zoneName = 'zone';

  /** A frame of another site may have no storage. */
  function isUtc() {
    try {
      return localStorage.getItem(zoneName) === 'utc';
    } catch {
      return false;
    }
  }
  const utc = isUtc();
  if (utc) document.documentElement.dataset.zone = 'UTC';

  const timeZone = utc ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shownTime = new Intl.DateTimeFormat(undefined, {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const distance = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ];

  /** @param {Date} date */
  function relativeText(date) {
    const seconds = (date.getTime() - Date.now()) / 1_000;
    const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
    return distance.format(Math.round(seconds / size), unit);
  }

  /** @param {ParentNode} root */
  function showTimes(root) {
    for (const element of root.querySelectorAll('time[data-time]')) {
      const date = new Date(element.getAttribute('datetime') ?? '');
      if (Number.isNaN(date.getTime())) continue;
      const text = element.getAttribute('data-time') === 'relative' ? relativeText(date) : shownTime.format(date);
      if (element.textContent !== text) element.textContent = text;
    }
  }

  /** Shows a time in the viewer's zone, and sends it in UTC. @param {HTMLInputElement} input */
  function showInput(input) {
    const { utc = '', shown } = input.dataset;
    if (utc === shown) return;
    input.dataset.shown = utc;
    const date = new Date(utc);
    const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    input.value = Number.isNaN(date.getTime()) ? '' : local.toISOString().slice(0, input.step.includes('.') ? 23 : 19);
    sentField(input).value = utc;
  }

  /** The field that is sent instead of an input. @param {HTMLInputElement} input */
  function sentField(input) {
    const next = input.nextElementSibling;
    if (next instanceof HTMLInputElement && next.type === 'hidden') return next;
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = input.name;
    input.removeAttribute('name');
    input.after(field);
    const label = input.labels?.[0];
    if (label) label.textContent = (label.textContent ?? '').replace('UTC', timeZone);
    return field;
  }

  // Before htmx sends the form.
  document.addEventListener(
    'input',
    ({ target }) => {
      if (utc || !(target instanceof HTMLInputElement) || target.dataset.utc === undefined) return;
      const date = new Date(target.value);
      sentField(target).value = Number.isNaN(date.getTime()) ? '' : date.toISOString();
    },
    { capture: true },
  );

  /** @param {ParentNode} root */
  function enhance(root) {
    showTimes(root);
    // In UTC they are as they came.
    if (!utc)
      for (const input of root.querySelectorAll('input[data-utc]')) showInput(/** @type {HTMLInputElement} */ (input));
    for (const button of root.querySelectorAll('[data-copy]')) /** @type {HTMLElement} */ (button).hidden = false;
  }

  function enableMenu() {
    const button = /** @type {HTMLElement | null} */ (document.querySelector('.menu-button'));
    const menu = document.getElementById('menu');
    if (!button || !menu) return;
    button.hidden = false;
    button.addEventListener('click', () => {
      const isOpen = menu.classList.toggle('open');
      button.setAttribute('aria-expanded', String(isOpen));
    });
  }

  document.addEventListener('click', async (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.getAttribute('data-copy') ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not permitted here'; // a frame needs allow="clipboard-write"
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  // A second click does not send a form again while its answer is on the way.
  const waitsForAnswerMs = 10_000;
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post' || event.defaultPrevented) return;
    const sentAt = Number(form.dataset.sentAt ?? Number.NEGATIVE_INFINITY);
    if (event.timeStamp - sentAt < waitsForAnswerMs) return event.preventDefault();
    form.dataset.sentAt = String(event.timeStamp);
  });
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sentAt;
  });
  // `/` leads to the search.
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof Element && target.closest('input, textarea, select')) return;
    const search = /** @type {HTMLElement | null} */ (document.querySelector('.search input'));
    if (!search) return;
    event.preventDefault();
    if (!search.checkVisibility()) /** @type {HTMLElement | null} */ (document.querySelector('.menu-button'))?.click();
    search.focus();
  });
  document.addEventListener('htmx:after:swap', () => enhance(document));
  // Live updates come with times in UTC, which would be seen for a moment.
  document.addEventListener('console:before-show', (event) => {
    if (event instanceof CustomEvent && event.detail instanceof DocumentFragment) showTimes(event.detail);
  });
  setInterval(() => {
    if (!document.hidden) showTimes(document);
  }, 10_000);

  function enableZone() {
    const button = /** @type {HTMLElement | null} */ (document.querySelector('[data-zone-button]'));
    if (!button) return;
    button.hidden = false;
    button.textContent = `Times: ${timeZone}`;
    button.addEventListener('click', () => {
      try {
        localStorage.setItem(zoneName, utc ? 'local' : 'utc');
        location.reload();
      } catch {
        button.textContent = 'Not permitted here';
      }
    });
  }

  // A picker gets the values that begin as its text does.
  document.addEventListener('input', async ({ target }) => {
    const href = target instanceof HTMLInputElement ? target.dataset.suggest : undefined;
    if (!(target instanceof HTMLInputElement) || href === undefined || !target.list) return;
    const { value, list } = target;
    const answer = await fetch(`${href}?prefix=${encodeURIComponent(value)}`);
    if (!answer.ok || target.value !== value) return;
    list.replaceChildren(...(await answer.json()).map((/** @type {string} */ each) => new Option(each, each)));
  });

  // On phones the tabs are wider than the page.
  function showCurrentTab() {
    for (const tabs of document.querySelectorAll('.tabs')) {
      const shown = tabs.getBoundingClientRect();
      const tab = tabs.querySelector('[aria-current]')?.getBoundingClientRect();
      if (tab) tabs.scrollLeft += tab.left - shown.left - (shown.width - tab.width) / 2;
    }
  }

  enableMenu();
  enableZone();
  showCurrentTab();
  enhance(document);
})();
