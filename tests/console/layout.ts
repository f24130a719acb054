import type { Page } from 'playwright-core';
import { plain } from '../../packages/console/src/text/plain.ts';
import { contrastProblems } from './accessibility.ts';

/** Widths of a phone, a tablet and a desktop. */
export const WIDTHS = [390, 768, 1440] as const;
export const THEMES = ['light', 'dark'] as const;
const HEIGHT = 900;

/** Elements that are cut off or overlap at any of the widths. The page is resized, not reloaded. */
export async function layoutProblems(page: Page): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.evaluate(WAIT_FOR_LAYOUT);
    const found = await page.evaluate<string[]>(`(${MEASURE})()`);
    problems.push(...found.map((problem) => `${width} px: ${problem}`));
  }
  return [...new Set(problems)];
}

/** Low-contrast text in either theme. */
export async function themeProblems(page: Page): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(WAIT_FOR_LAYOUT);
    problems.push(...(await contrastProblems(page)).map((problem) => `${colorScheme}: ${problem}`));
  }
  return problems;
}

/** Text on the page that contains invisible characters, including texts for screen readers and tooltips. */
export async function truncatedTexts(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate<string[]>(`(${COLLECT})()`);
  return texts.filter((text) => plain(text) !== text).map((text) => JSON.stringify(text.slice(0, 120)));
}

const COLLECT = `() => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node.data);
  for (const element of document.body.querySelectorAll('*')) {
    for (const name of ['title', 'aria-label', 'alt', 'placeholder', 'label']) texts.push(element.getAttribute(name) ?? '');
  }
  return texts;
}`;

/** Waits two frames, after which everything that depends on size or theme has been redrawn, and ends animations. */
const WAIT_FOR_LAYOUT = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
  for (const animation of document.getAnimations()) if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
})`;

const SHARED = `
  const nameOf = (element) => {
    const classes = typeof element.className === 'string' ? element.className.trim().split(/\\s+/).slice(0, 2).join('.') : '';
    return element.tagName.toLowerCase() + (classes && '.' + classes) + ' "' + (element.textContent ?? '').trim().slice(0, 60) + '"';
  };
  // A dialog or menu covers the elements behind it.
  const root = document.querySelector('[role="dialog"]') ?? document.querySelector('.pf-v6-c-menu') ?? document.body;
  const isHidden = (element) =>
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
    element.closest('.fw-visually-hidden, .pf-v6-u-screen-reader, .pf-v6-screen-reader, .pf-v6-c-skip-to-content') !== null;
  const texts = function* () {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.data.trim() === '' || node.parentElement.closest('svg, select, textarea, script, style') || isHidden(node.parentElement)) continue;
      yield node;
    }
  };
`;

const MEASURE = `() => {
  ${SHARED}
  const problems = [];
  const hasOwnText = (element) => element.childElementCount === 0 || [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth) problems.push('the page is ' + page.scrollWidth + ' px wide');
  const scrollers = [...root.querySelectorAll('*')].filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowX));
  for (const element of root.querySelectorAll('*')) {
    if (element.matches('input, textarea, select, option, svg *') || isHidden(element)) continue;
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    const isWider = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1;
    const isHigher = element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 1;
    const canScroll = overflowX === 'auto' || overflowX === 'scroll';
    if (isWider && canScroll) {
      // Only small elements that the keyboard can reach may scroll sideways.
      const isReached = element.tabIndex >= 0 || element.querySelector('a, button, input') !== null;
      if (!isReached || element.matches('#content, .pf-v6-c-page, .pf-v6-c-modal-box__body') || element.querySelector('h1')) {
        const edge = element.getBoundingClientRect().left + element.clientWidth;
        const wide = [...element.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > edge + 1 && hasOwnText(each) && ![...scrollers].some((scroller) => scroller !== element && scroller.contains(each)));
        // Loading animations are briefly wider but contain no text, so they are not reported.
        if (wide.length > 0) problems.push('scrolls sideways: ' + nameOf(element) + ' by ' + (element.scrollWidth - element.clientWidth) + ' px: ' + wide.slice(0, 3).map(nameOf).join(', '));
      }
    }
    const isCut = (isWider && (overflowX === 'hidden' || overflowX === 'clip')) || (isHigher && (overflowY === 'hidden' || overflowY === 'clip'));
    if (isCut && element.closest('[title]') === null && element.textContent.trim() !== '') problems.push('is cut off: ' + nameOf(element));
  }
  const boxes = [];
  const clipped = (rect, element) => {
    let { left, right, top, bottom } = rect;
    for (let at = element; at !== null && at !== document.documentElement; at = at.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(at);
      const around = at.getBoundingClientRect();
      if (overflowX !== 'visible') (left = Math.max(left, around.left)), (right = Math.min(right, around.right));
      if (overflowY !== 'visible') (top = Math.max(top, around.top)), (bottom = Math.min(bottom, around.bottom));
      if (position === 'fixed') break;
    }
    return { left, right, top, bottom };
  };
  const add = (element, rect) => {
    const box = clipped(rect, element);
    // The element is not visible, such as the closed navigation on a phone.
    if (box.right - box.left < 2 || box.bottom - box.top < 2 || box.right <= 0) return;
    if (box.right > innerWidth + 1 || box.left < -1) problems.push('is outside of the window: ' + nameOf(element));
    boxes.push({ element, ...box });
  };
  for (const node of texts()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) add(node.parentElement, rect);
  }
  for (const control of root.querySelectorAll('input, select, textarea, button')) {
    if (!isHidden(control) && !control.matches('[type="file"], .pf-v6-c-switch__input')) add(control, control.getBoundingClientRect());
  }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((one, index) => {
    for (const other of boxes.slice(index + 1)) {
      if (other.top >= one.bottom - 3) break;
      const isAcross = Math.min(one.right, other.right) - Math.max(one.left, other.left) > 3;
      if (!isAcross || one.element.contains(other.element) || other.element.contains(one.element)) continue;
      // Sticky elements, which the rest of the page scrolls under.
      if (one.element.closest('thead, .fw-summary, .pf-v6-c-masthead') !== other.element.closest('thead, .fw-summary, .pf-v6-c-masthead')) continue;
      problems.push('lies over another: ' + nameOf(one.element) + ' and ' + nameOf(other.element));
    }
  });
  return problems.slice(0, 20);
}`;
