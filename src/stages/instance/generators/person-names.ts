import type { Locale } from '../../task/cell-schema.ts';

/** Common first and last names of a language, and which of the two comes first. */
interface LocaleNames {
  readonly order: 'given-first' | 'family-first';
  readonly given: readonly string[];
  readonly family: readonly string[];
}

/**
 * Written for this program: each name is common in its language, family names do not change with gender, and pairs
 * that are known persons were left out. The lists are part of the format: a change changes instances.
 */
export const PERSON_NAMES = {
  en: givenFirst(
    `Alice Arthur Beth Clara Daniel Edith Felix George Hannah Ivy Jack Laura Martin Nora Oliver Peter Rachel Ruth Samuel
     Simon Thomas Victor Wendy Zoe`,
    `Archer Barnes Bennett Bowden Carter Chapman Dawson Everett Fletcher Gibson Harvey Holt Jenkins Lawson Marsh Norris
     Parsons Potts Reeves Saunders Tucker Walters Webb Yates`,
  ),
  de: givenFirst(
    `Anna Bernd Christa Dieter Elke Franziska Gisela Hannes Ingrid Jonas Jürgen Katrin Lena Lukas Matthias Nadine Petra
     Renate Sabine Sören Stefan Thomas Ursula Uwe`,
    `Albrecht Bauer Böhm Busch Fischer Fuchs Graf Günther Hahn Hoffmann Jung Keller Köhler Krüger Lang Lehmann Möller
     Neumann Pohl Schäfer Schröder Vogel Weiß Winkler`,
  ),
  fr: givenFirst(
    `Agnès Bernard Camille Chloé Denis Élodie Fabien Françoise Gaëlle Hélène Inès Julien Laurent Léa Maëlle Mathieu Noël
     Océane Pascal Rémi Sylvie Thérèse Yann Zoé`,
    `Aubert Besson Boucher Chevalier Clément Collet Dufour Faure Fontaine Garnier Gauthier Girard Lefèvre Lemaître
     Marchand Mercier Morel Perrin Prévost Renard Roussel Royer Thévenet Vasseur`,
  ),
  es: givenFirst(
    `Álvaro Ana Begoña Concepción Diego Elena Emilio Fátima Gonzalo Inés Iñigo Jesús Joaquín José Lucía Marta Mónica
     Nuria Óscar Pilar Ramón Raúl Rocío Sofía`,
    `Aguilar Álvarez Blanco Cabrera Castaño Delgado Domínguez Fernández Gallego Giménez Gómez Guerrero Ibáñez León
     Márquez Medina Molina Muñoz Núñez Ortega Peña Rubio Suárez Vázquez`,
  ),
  it: givenFirst(
    `Alessia Andrea Arianna Bruno Caterina Chiara Dario Davide Elisa Fabio Federica Giacomo Giorgia Ilaria Lorenzo Luca
     Marta Martina Nicolò Paola Pietro Silvia Simone Stefano`,
    `Barbieri Basile Bianchi Caruso Cattaneo Colombo Costa D'Amico Esposito Farina Ferrara Fontana Gallo Gatti Greco
     Leone Lombardi Longo Marino Moretti Palmieri Rinaldi Riva Testa`,
  ),
  pl: givenFirst(
    `Agnieszka Bartosz Bożena Cezary Dorota Ewa Grażyna Jakub Joanna Kacper Krzysztof Łukasz Magda Małgorzata Michał
     Paweł Piotr Rafał Sławomir Stanisław Tomasz Wojciech Zofia Żaneta`,
    `Antczak Baran Bąk Cieślak Dudek Gajda Jóźwiak Kaczmarek Kołodziej Kowalczyk Krawczyk Kubiak Mazur Mróz Nowak Pawlak
     Pietrzak Sikora Sobczak Stępień Szewczyk Woźniak Wójcik Zając`,
  ),
  pt: givenFirst(
    `Afonso Amélia António Beatriz Catarina Cláudia Diogo Duarte Fátima Francisco Gonçalo Helena Inês Joana João Luísa
     Márcia Miguel Nuno Patrícia Rui Sónia Tiago Vítor`,
    `Almeida Antunes Araújo Azevedo Barbosa Brandão Carvalho Coelho Conceição Esteves Fonseca Freitas Gonçalves Guimarães
     Leitão Magalhães Marques Meireles Morais Nogueira Pinheiro Simões Tavares Teixeira`,
  ),
  sv: givenFirst(
    `Agneta Alva Anders Åke Åsa Birgitta Elin Emil Gösta Göran Håkan Ingela Jörgen Kerstin Lars Linnéa Mårten Märta Nils
     Olof Örjan Pär Sigrid Sören`,
    `Ahlström Åberg Åkesson Bergström Björk Blomqvist Dahlgren Ekström Engström Fransson Gustafsson Hägglund Håkansson
     Jönsson Lindqvist Löfgren Månsson Nordin Nyström Öberg Östlund Sjöberg Söderberg Wåhlin`,
  ),
  tr: givenFirst(
    `Ayşe Barış Burcu Cem Çağla Deniz Elif Emre Fatma Gökhan Gül Gülşen Hakan Işıl İbrahim Kübra Mehmet Oğuz Ömer Özge
     Sevgi Şükrü Tuğba Yiğit`,
    `Acar Aksoy Arslan Avcı Aydın Bulut Çakır Çelik Çetin Demirci Doğan Güler Güneş Işık Kılıç Koç Özkan Öztürk Polat
     Şahin Taş Uçar Yalçın Yıldız`,
  ),
  ja: {
    order: 'family-first',
    given: listed(
      '和也 健太 直樹 浩二 拓也 大輔 雄一 誠 隆 学 陽子 由美 恵子 久美 真由美 美咲 さくら 結衣 葵 陽菜 千尋 明美 和子 ひなた',
    ),
    family: listed(
      '佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤 清水 山崎 池田 橋本 石川',
    ),
  },
} as const satisfies Record<Locale, LocaleNames>;

function givenFirst(given: string, family: string): LocaleNames {
  return { order: 'given-first', given: listed(given), family: listed(family) };
}

/** In composed form (NFC), so that bytes do not depend on how this file was saved. */
function listed(names: string): readonly string[] {
  return names.normalize('NFC').trim().split(/\s+/);
}
