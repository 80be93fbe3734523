import { en } from './texts/en.js';
import { ja } from './texts/ja.js';

export type TextKey = keyof typeof en;
/** A catalogue: every text of the cockpit in one language. `{name}` stands for a value. */
export type Catalogue = Readonly<Record<TextKey, string>>;

export const CATALOGUES = { en, ja } as const satisfies Record<string, Catalogue>;
export type Language = keyof typeof CATALOGUES;
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', ja: '日本語' };
export const LANGUAGE_COOKIE = 'signalbox_language';

/** Gives a text in one language, its `{name}`s filled in. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export function sayIn(language: Language): Say {
  const catalogue: Catalogue = CATALOGUES[language];
  return (key, values = {}) =>
    catalogue[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A key that is put together from data, such as `status.READY`; the data itself where no text is known for it. */
export function sayOr(t: Say, key: string, otherwise: string): string {
  return Object.hasOwn(en, key) ? t(key as TextKey) : otherwise;
}

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(CATALOGUES, value);
}

/** The language chosen before, else the best of `Accept-Language`, else English. */
export function languageOf(cookie: string | undefined, acceptLanguage: string | undefined): Language {
  if (isLanguage(cookie)) return cookie;
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = /q=([\d.]+)/.exec(parameters.join(';'))?.[1];
      return { language: tag.split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ language, quality }) => isLanguage(language) && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  const [best] = wanted;
  return best && isLanguage(best.language) ? best.language : 'en';
}
