"""Finds the countries that a text speaks of: by their names, their people, their languages and their larger parts."""

import re
from functools import cache

# Each line: what the country is called here, then everything else that means it.
_NAMES = """
Afghanistan, Afghan, Afghani, Kabul
Albania, Albanian
Algeria, Algerian, Algiers
Argentina, Argentine, Argentinian, Argentinean, Buenos Aires
Armenia, Armenian, Yerevan
Australia, Australian, New South Wales, Queensland, Tasmania, Western Australia, South Australia, Sydney, Melbourne
Austria, Austrian, Austro-Hungarian, Vienna, Tyrol, Styria
Azerbaijan, Azerbaijani, Baku
Bangladesh, Bangladeshi, Dhaka
Belarus, Belarusian, Minsk
Belgium, Belgian, Flemish, Flanders, Wallonia, Brussels, Antwerp
Bolivia, Bolivian
Bosnia and Herzegovina, Bosnia, Bosnian, Sarajevo
Brazil, Brazilian, São Paulo, Rio de Janeiro, Minas Gerais
Bulgaria, Bulgarian, Sofia
Cambodia, Cambodian, Phnom Penh
Cameroon, Cameroonian
Canada, Canadian, Ontario, Quebec, Québécois, Alberta, British Columbia, Manitoba, Saskatchewan, Nova Scotia, \
New Brunswick, Newfoundland, Yukon, Nunavut, Toronto, Montreal, Vancouver
Chile, Chilean, Santiago
China, Chinese, Beijing, Shanghai, Guangdong, Sichuan
Colombia, Colombian, Bogotá
Costa Rica, Costa Rican
Croatia, Croatian, Croat, Zagreb
Cuba, Cuban, Havana
Cyprus, Cypriot
Czech Republic, Czech, Czechoslovakia, Czechoslovak, Bohemia, Moravia, Prague
Democratic Republic of the Congo, Congo, Congolese, Kinshasa
Denmark, Danish, Dane, Copenhagen, Jutland
Dominican Republic, Dominican
Ecuador, Ecuadorian
Egypt, Egyptian, Cairo
El Salvador, Salvadoran
Estonia, Estonian, Tallinn
Ethiopia, Ethiopian
Finland, Finnish, Finn, Helsinki
France, French, Parisian, Paris, Normandy, Brittany, Provence, Alsace, Burgundy, Île-de-France
Georgian, Tbilisi
Germany, German, West Germany, East Germany, Prussia, Prussian, Bavaria, Bavarian, Saxony, Hesse, Baden-Württemberg, \
North Rhine-Westphalia, Berlin, Hamburg, Munich
Ghana, Ghanaian
Greece, Greek, Athens, Crete
Guatemala, Guatemalan
Haiti, Haitian
Hong Kong, Hongkonger
Hungary, Hungarian, Budapest
Iceland, Icelandic, Icelander, Reykjavík
India, Indian, Hindi, Bollywood, Tamil, Telugu, Malayalam, Kannada, Bengali, Marathi, Gujarati, Punjabi, Odia, \
Assamese, Tamil Nadu, Kerala, Karnataka, Maharashtra, Andhra Pradesh, Telangana, West Bengal, Rajasthan, Bihar, \
Uttar Pradesh, Odisha, Assam, Mumbai, Delhi, Kolkata, Chennai
Indonesia, Indonesian, Jakarta, Java, Sumatra
Iran, Iranian, Persian, Tehran
Iraq, Iraqi, Baghdad
Ireland, Irish, Dublin, County Cork, County Galway
Israel, Israeli, Tel Aviv, Jerusalem
Italy, Italian, Rome, Sicily, Sicilian, Sardinia, Tuscany, Lombardy, Piedmont, Venice, Venetian, Milan, Naples, \
Florence
Ivory Coast, Ivorian
Jamaica, Jamaican
Japan, Japanese, Tokyo, Osaka, Kyoto, Hokkaido
Jordan, Jordanian
Kazakhstan, Kazakh, Kazakhstani
Kenya, Kenyan, Nairobi
Kosovo, Kosovar
Kuwait, Kuwaiti
Latvia, Latvian, Riga
Lebanon, Lebanese, Beirut
Liberia, Liberian
Libya, Libyan
Lithuania, Lithuanian, Vilnius
Luxembourg, Luxembourgish
North Macedonia, Macedonia, Macedonian, Skopje
Malaysia, Malaysian, Kuala Lumpur, Sarawak, Sabah
Malta, Maltese
Mexico, Mexican, Mexico City, Jalisco
Moldova, Moldovan
Mongolia, Mongolian
Montenegro, Montenegrin
Morocco, Moroccan, Casablanca
Myanmar, Burma, Burmese
Nepal, Nepalese, Nepali, Kathmandu
Netherlands, Dutch, Holland, Dutchman, Amsterdam, Rotterdam
New Zealand, New Zealander, Auckland, Wellington
Nicaragua, Nicaraguan
Nigeria, Nigerian, Nollywood, Lagos
North Korea, North Korean
Norway, Norwegian, Oslo
Pakistan, Pakistani, Urdu, Sindh, Balochistan, Karachi, Lahore
Palestine, Palestinian
Panama, Panamanian
Paraguay, Paraguayan
Peru, Peruvian, Lima
Philippines, Filipino, Filipina, Philippine, Manila, Luzon, Mindanao
Poland, Polish, Pole, Warsaw, Kraków
Portugal, Portuguese, Lisbon
Puerto Rico, Puerto Rican
Qatar, Qatari
Romania, Romanian, Bucharest, Transylvania
Russia, Russian, Soviet, Soviet Union, USSR, Moscow, Leningrad, Saint Petersburg, St. Petersburg, Siberia
Saudi Arabia, Saudi, Saudi Arabian
Senegal, Senegalese
Serbia, Serbian, Serb, Yugoslavia, Yugoslav, Belgrade, Vojvodina
Singapore, Singaporean
Slovakia, Slovak, Bratislava
Slovenia, Slovene, Slovenian, Ljubljana
Somalia, Somali
South Africa, South African, Afrikaans, Cape Town, Johannesburg, KwaZulu-Natal
South Korea, South Korean, Korean, Korea, Seoul
Spain, Spanish, Spaniard, Catalonia, Catalan, Basque, Andalusia, Galicia, Madrid, Barcelona
Sri Lanka, Sri Lankan, Ceylon, Sinhala, Colombo
Sudan, Sudanese
Sweden, Swedish, Swede, Stockholm, Gothenburg
Switzerland, Swiss, Zürich, Zurich, Geneva, Bern, Basel
Syria, Syrian, Damascus
Taiwan, Taiwanese, Taipei
Tanzania, Tanzanian
Thailand, Thai, Bangkok
Trinidad and Tobago, Trinidadian
Tunisia, Tunisian, Tunis
Turkey, Turkish, Turk, Ottoman, Istanbul, Ankara
Uganda, Ugandan
Ukraine, Ukrainian, Kyiv, Kiev, Crimea
United Arab Emirates, Emirati, Dubai
United Kingdom, UK, U.K., British, Briton, Britain, Great Britain, England, English, Scotland, Scottish, Wales, \
Welsh, Northern Ireland, Northern Irish, London, Yorkshire, Lancashire, Cornwall, Kent, Essex, Sussex, Edinburgh, \
Glasgow
United States, American, US, U.S., USA, U.S.A., America, Alabama, Alaska, Arizona, Arkansas, California, Colorado, \
Connecticut, Delaware, Florida, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, \
Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, \
New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, \
South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, \
Wyoming, Hollywood, Chicago, Los Angeles, San Francisco, Boston, Philadelphia
Uruguay, Uruguayan, Montevideo
Uzbekistan, Uzbek
Venezuela, Venezuelan, Caracas
Vietnam, Vietnamese, Hanoi, Saigon
Zambia, Zambian
Zimbabwe, Zimbabwean, Rhodesia
"""


@cache
def _country() -> dict[str, str]:
    lines = (line.split(", ") for line in _NAMES.strip().split("\n"))
    return {name: names[0] for names in lines for name in names}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_country(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def countries(text: str) -> set[str]:
    """The countries that a text names, whatever it calls them.

    Examples:
        >>> from multihop.base.country_names import countries
        >>> sorted(countries("A Hungarian-born American director from Ohio."))
        ['Hungary', 'United States']
        >>> countries("It flows into Lake Michigan in South Haven.") == countries("a stream in Marion County, Missouri")
        True
    """
    return {_country()[name] for name in _pattern().findall(text)}


def country_words(text: str, country: str) -> list[str]:
    """The words of a text that name a country or its people, in order."""
    known = _country()
    return [word for word in _pattern().findall(text) if word in _peoples() and known[word] == known.get(country)]


@cache
def _peoples() -> frozenset[str]:
    """The countries' own names and their peoples', which come first in each line or begin alike."""
    lines = (line.split(", ") for line in _NAMES.strip().split("\n"))
    return frozenset(name for names in lines for n, name in enumerate(names) if n < 3 or name[:3] == names[0][:3]) | {
        "British", "English", "Scottish", "Welsh", "England", "Scotland", "Wales", "U.S.", "USA",
    }  # fmt: skip
