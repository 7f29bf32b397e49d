// Times in the viewer's zone, copying, the menu on phones. Pages work without it.
// @ts-check
(() => {
  document.documentElement.classList.add('scripted');

  const localTime = new Intl.DateTimeFormat(undefined, {
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
      const text = element.getAttribute('data-time') === 'relative' ? relativeText(date) : localTime.format(date);
      if (element.textContent !== text) element.textContent = text;
    }
  }

  /** @param {ParentNode} root */
  function enhance(root) {
    showTimes(root);
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
    await navigator.clipboard.writeText(button.getAttribute('data-copy') ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  document.addEventListener('htmx:after:swap', () => enhance(document));
  // Live updates come with times in UTC, which would be seen for a moment.
  document.addEventListener('console:before-show', (event) => {
    if (event instanceof CustomEvent && event.detail instanceof DocumentFragment) showTimes(event.detail);
  });
  setInterval(() => {
    if (!document.hidden) showTimes(document);
  }, 10_000);

  enableMenu();
  enhance(document);
})();
